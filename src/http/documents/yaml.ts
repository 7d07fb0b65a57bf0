import type { Json } from '../../core/call/reply.ts';

/**
 * Returns a JSON value as YAML.
 * Objects and arrays line by line, strings quoted as in JSON, which is valid YAML. Not done by a library because the
 * one in use takes a second for a document of this size and would block all requests meanwhile.
 */
export const toYaml = (value: Json): string => {
  const lines: string[] = [];
  write(value, '', '', lines);
  return `${lines.join('\n')}\n`;
};

/** Adds the lines of a value: `lead` precedes its first line, `indent` the lines of its members. */
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

/** Quotes names that YAML 1.1 would not read as strings (e0), or that have special characters. */
const keyOf = (name: string): string =>
  /^[A-Za-z_$][\w$-]*$/.test(name) && !/^(y|n|yes|no|on|off|true|false|null|e-?\d+)$/i.test(name)
    ? name
    : JSON.stringify(name);
