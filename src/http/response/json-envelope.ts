import type { EnvelopeMembers } from './format.ts';

/** The envelope as pretty-printed JSON around a response that is JSON text already, indented by one level. */
export const encodeEnvelope = (members: EnvelopeMembers, response: string): string => {
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

const end = '\n}';

/** An envelope before and behind its response. */
export const envelopeFrame = (members: EnvelopeMembers): readonly [before: string, after: string] => [
  encodeEnvelope(members, '').slice(0, -end.length),
  end,
];

/** The same in a script. */
export const callbackFrame = (callback: string, members: EnvelopeMembers): readonly [before: string, after: string] => {
  const last = `${end});`;
  return [encodeCallback(callback, encodeEnvelope(members, '')).slice(0, -last.length), last];
};
