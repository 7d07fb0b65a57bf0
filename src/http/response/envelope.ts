import type { EnvelopeMembers } from './formats.ts';

export type Headers = Readonly<Record<string, string>>;

/** Headers whose values are numbers. */
const numeric = new Set([
  'access-control-max-age',
  'age',
  'retry-after',
  'x-position',
  'x-rate-limit-limit',
  'x-rate-limit-remaining',
  'x-rate-limit-reset',
  'x-total-count',
]);

/**
 * Returns an envelope's members beside the response.
 * The real status, and each header by its name in lower case with `_` for `-`. See docs/decisions.md, "Responses".
 */
export const envelopeMembers = (status: number, headers: Headers): EnvelopeMembers => {
  const members: Record<string, EnvelopeMembers[string]> = { status_code: status };
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    // It concerns the connection, not the response.
    if (lower === 'connection') continue;
    members[lower.replaceAll('-', '_')] = numeric.has(lower) ? Number(value) : value;
  }
  return members;
};

/** Returns the envelope as pretty-printed JSON; `response` is JSON already, indented by one level. */
export const encodeEnvelope = (members: EnvelopeMembers, response: string): string => {
  const lines = Object.entries(members).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return `{\n${lines.join('\n')}\n  "response": ${response}\n}`;
};

const unsafe: Readonly<Record<string, string>> = { '<': '\\u003c', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/** In a script, unlike in JSON, this member would set the object's prototype; a computed name does not. */
const prototype = /^( *)"__proto__":/gm;

/**
 * Returns pretty-printed JSON as a script that calls the function.
 * The leading comment prevents a body that begins with bytes of the client's choice; the escaped characters, which
 * occur in strings only, would end a script element or a line.
 */
export const encodeCallback = (callback: string, json: string): string => {
  return `/**/${callback}(${escapeScript(json)});`;
};

/** Escapes the parts of pretty-printed JSON that a script would interpret differently. */
export const escapeScript = (json: string): string =>
  json.replace(prototype, '$1["__proto__"]:').replace(/[<\u2028\u2029]/g, character => unsafe[character] as string);

const end = '\n}';

/** Returns the parts of an envelope before and after its response. */
export const envelopeFrame = (members: EnvelopeMembers): readonly [before: string, after: string] => [
  encodeEnvelope(members, '').slice(0, -end.length),
  end,
];

/** Returns the same as a script (JSONP). */
export const callbackFrame = (callback: string, members: EnvelopeMembers): readonly [before: string, after: string] => {
  const last = `${end});`;
  return [encodeCallback(callback, encodeEnvelope(members, '')).slice(0, -last.length), last];
};
