import type { Json } from '../../core/reply.ts';

export type Headers = Readonly<Record<string, string>>;

/** The headers whose values are numbers. */
const numeric = new Set([
  'access-control-max-age',
  'age',
  'retry-after',
  'x-rate-limit-limit',
  'x-rate-limit-remaining',
  'x-rate-limit-reset',
  'x-total-count',
]);

/** What an envelope tells beside the response: the real status, and each header under its name in lower case with `_` for `-`. */
export const envelopeMembers = (status: number, headers: Headers): Record<string, Json> => {
  const members: Record<string, Json> = { status_code: status };
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    // It tells of this one connection, not of the answer.
    if (lower === 'connection') continue;
    members[lower.replaceAll('-', '_')] = numeric.has(lower) ? Number(value) : value;
  }
  return members;
};

/** The envelope as pretty-printed JSON around a response that is JSON text already, indented by one level. */
export const encodeEnvelope = (members: Readonly<Record<string, Json>>, response: string): string => {
  const lines = Object.entries(members).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return `{\n${lines.join('\n')}\n  "response": ${response}\n}`;
};

const unsafe: Readonly<Record<string, string>> = { '<': '\\u003c', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/** In a script, unlike in JSON, such a member would set the object's prototype: a computed name does not. */
const prototype = /^( *)"__proto__":/gm;

/**
 * Pretty-printed JSON text as a script that calls the function. The comment before it keeps the body from beginning with bytes of
 * the client's choice; the escaped characters occur in texts only, and would end a script element or a line.
 */
export const encodeCallback = (callback: string, json: string): string => {
  return `/**/${callback}(${escapeScript(json)});`;
};

/** What of JSON text, in whole lines, a script would read otherwise. */
export const escapeScript = (json: string): string =>
  json.replace(prototype, '$1["__proto__"]:').replace(/[<\u2028\u2029]/g, character => unsafe[character] as string);
