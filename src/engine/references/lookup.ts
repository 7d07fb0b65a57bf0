import type { Json } from '../../core/call/reply.ts';
import type { FieldError } from '../../core/errors.ts';
import type { Row, Statement } from '../../db/database.ts';

/** What one field's value refers to: the statement that reads it, and what is wrong with the rows that it returns. */
export interface Lookup {
  readonly statement: Statement;
  judge(rows: readonly Row[]): Verdict | Promise<Verdict>;
}

/** The errors of one value; `value`: the value to store in place of the given one. */
export interface Verdict {
  readonly errors: readonly FieldError[];
  readonly value?: readonly [field: string, value: Json];
}

/** Returns the name of an item of a list, such as `qualifications.1`; of a single value, the field's name. */
export const placeOf = (name: string, given: Json, item: Json): string =>
  Array.isArray(given) ? `${name}.${given.indexOf(item)}` : name;
