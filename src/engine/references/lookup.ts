import type { Json } from '../../core/call/reply.ts';
import type { FieldError } from '../../core/errors.ts';
import type { Row, Statement } from '../../db/database.ts';

/** What one field's value refers to: the statement that reads it, and the errors of its rows. */
export interface Lookup {
  readonly statement: Statement;
  judge(rows: readonly Row[]): LookUpResult | Promise<LookUpResult>;
}

/** The errors of one value; `value`: the value to store in place of the given one. */
export interface LookUpResult {
  readonly errors: readonly FieldError[];
  readonly value?: readonly [field: string, value: Json];
}

/** Returns the name of a list's item, such as `qualifications.1`; of a single value, the field's. */
export const placeOf = (name: string, given: Json, item: Json): string =>
  Array.isArray(given) ? `${name}.${given.indexOf(item)}` : name;
