import { readFileSync } from 'node:fs';
import { envSchema } from 'env-schema';
import { distance } from 'fastest-levenshtein';
import { codeOf, type Problems } from './problems.ts';
import { type VariableName, variables } from './variables.ts';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
/** The values of the variables that are set, as strings. */
export type RawValues = Partial<Record<VariableName, string>>;
/** The values of all variables, converted to their types, including defaults. */
export type ConfigValues = Record<VariableName, string | number | undefined>;

/** Reads the known variables; an empty one is not set. The file `<name>_FILE` may have a secret. */
export const readEnvironment = (environment: Environment, problems: Problems): RawValues => {
  const raw: RawValues = {};
  for (const { name, secret } of variables) {
    const value = environment[name];
    if (value) raw[name] = value;
    const file = secret && environment[`${name}_FILE`];
    if (!file) continue;
    if (value) problems.add(name, `set either it or ${name}_FILE, not both`);
    try {
      raw[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      problems.add(name, `${name}_FILE refers to ${JSON.stringify(file)}, which cannot be read (${codeOf(error)})`);
    }
  }
  for (const name of Object.keys(environment)) {
    if (known.includes(name)) continue;
    const meant = known.find(other => other.length >= shortest && isMistyped(name, other));
    if (meant) problems.add(name, `is not a variable of this service; did you mean ${meant}?`);
    else if (name.startsWith('JWT_')) problems.add(name, 'is not a variable of this service; set the keys in JWT_KEYS');
  }
  return raw;
};

const known: readonly string[] = variables.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));

/** Length of the shortest name compared with mistyped ones: HOSTS is a variable of many programs. */
const shortest = 6;

/** Whether two names differ by one letter or two swapped ones, as typing errors do. */
const isMistyped = (name: string, meant: string): boolean => {
  const edits = distance(name, meant);
  return edits === 1 || (edits === 2 && [...name].sort().join('') === [...meant].sort().join(''));
};

/** One object, so that it is compiled once. */
const schemaOfAll = {
  type: 'object',
  properties: Object.fromEntries(
    variables.map(({ name, schema, default: preset }) => [
      name,
      { ...schema, ...(preset !== undefined && { default: preset }) },
    ]),
  ),
};

/** Converts and completes values by their schemas; invalid variables become problems. */
export const readValues = (raw: RawValues, problems: Problems): ConfigValues => {
  for (const { name, schema } of variables) {
    // Ajv takes everything that JavaScript converts to an integer, such as a blank, `1e3` and `Infinity`.
    if (schema.type !== 'integer' || raw[name] === undefined || /^\d{1,16}$/.test(raw[name])) continue;
    problems.addInvalid(name, raw[name]);
    const { [name]: _, ...remaining } = raw;
    return readValues(remaining, problems);
  }
  try {
    return envSchema<ConfigValues>({ schema: schemaOfAll, data: raw, env: false });
  } catch (error) {
    const failures = (error as { errors?: readonly { instancePath: string }[] }).errors;
    if (!failures) throw error;
    const remaining = { ...raw };
    for (const { instancePath } of failures) {
      const name = instancePath.slice(1) as VariableName;
      problems.addInvalid(name, raw[name]);
      delete remaining[name];
    }
    return readValues(remaining, problems);
  }
};
