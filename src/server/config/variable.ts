/** One environment variable: the table from which Config is read, errors are worded and README's table is checked. */
export interface Variable {
  readonly name: string;
  readonly description: string;
  /** As it would be written in the environment; null: there is none. */
  readonly default: string | null;
  readonly example: string;
  /** What a value must be, for an error: "expected …". */
  readonly expected: string;
  /** JSON Schema of the value, after Ajv has turned the text into the schema's type. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Never shown; may be read from the file that `<name>_FILE` names. */
  readonly secret?: true;
}

export const text = (pattern?: string) => ({ type: 'string', ...(pattern ? { pattern } : {}) });
export const integer = (minimum: number, maximum: number) => ({
  schema: { type: 'integer', minimum, maximum },
  expected: `an integer from ${minimum} to ${maximum}`,
});
export const choice = (...values: readonly string[]) => ({
  schema: { type: 'string', enum: values },
  expected: `one of ${values.join(', ')}`,
});
export const flag = choice('true', 'false', '1', '0');
export const postgres = { schema: text('^postgres(ql)?://[^\\s]+$'), expected: 'a postgres:// address' };
export const filePath = { schema: text(), expected: 'the path of a readable PEM file' };
