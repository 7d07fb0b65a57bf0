/** An environment variable: the source of its validation, error messages and row in the documentation. */
export interface Variable {
  readonly name: string;
  readonly description: string;
  /** The default as a string of the environment. */
  readonly default?: string;
  readonly example: string;
  /** What a value must be; completes the message "expected …". */
  readonly expected: string;
  /** JSON Schema of the value, after Ajv has converted the string to the schema's type. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Never shown in messages; may also be read from the file that `<name>_FILE` names. */
  readonly secret?: true;
}

/** The schema of a string, with an optional pattern. */
export const text = (pattern?: string) => ({ type: 'string', ...(pattern ? { pattern } : {}) });
/** An integer in a range, both bounds included. */
export const integer = (minimum: number, maximum: number) => ({
  schema: { type: 'integer', minimum, maximum },
  expected: `an integer from ${minimum} to ${maximum}`,
});
/** One of several strings. */
export const choice = (...values: readonly string[]) => ({
  schema: { type: 'string', enum: values },
  expected: `one of ${values.join(', ')}`,
});
/** A boolean. */
export const flag = choice('true', 'false', '1', '0');
/** The URL of a Postgres database. */
export const postgres = { schema: text('^postgres(ql)?://[^\\s]+$'), expected: 'a postgres:// URL' };
/** The path of a PEM file. */
export const filePath = { schema: text(), expected: 'the path of a readable PEM file' };
/** The path of a folder. */
export const folder = { schema: text(), expected: 'the path of a folder' };
/** What a port is opened on. */
export const host = { schema: text('^[A-Za-z0-9.:_-]+$'), expected: 'an IP address or host name' };
/** A list of networks. */
export const networks = {
  schema: text(),
  expected: 'IP addresses or networks (address/prefix), separated by commas',
};
