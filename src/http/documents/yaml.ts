import type { Json } from '../../core/call/reply.ts';

/**
 * A JSON value as YAML: objects and arrays line by line, texts quoted as in JSON, which is YAML as well. Written here because the library
 * that writes the published document takes a second for a document of this size, in which nothing else would be answered.
 */
export const toYaml = (value: Json): string => {
  const lines: string[] = [];
  write(value, '', '', lines);
  return `${lines.join('\n')}\n`;
};

/** Adds the lines of a value: `lead` stands before its first one, `indent` before those of its members. */
const write = (value: Json, lead: string, indent: string, lines: string[]): void => {
  if (value === null || typeof value !== 'object') {
    lines.push(`${lead}${JSON.stringify(value)}`);
    return;
  }
  const isList = Array.isArray(value);
  const members = isList ? value.map(item => ['-', item] as const) : Object.entries(value);
  if (members.length === 0) {
    lines.push(`${lead}${isList ? '[]' : '{}'}`);
    return;
  }
  if (lead.trim() !== '') lines.push(lead.trimEnd());
  for (const [name, member] of members)
    write(member as Json, `${indent}${isList ? '-' : `${keyOf(name)}:`} `, `${indent}  `, lines);
};

/** Words that YAML 1.1 takes for something else than texts (e0 may be a number), and names with other characters, are quoted. */
const keyOf = (name: string): string =>
  /^[A-Za-z_$][\w$-]*$/.test(name) && !/^(y|n|yes|no|on|off|true|false|null|e-?\d+)$/i.test(name)
    ? name
    : JSON.stringify(name);
