import type { RawBuilder } from 'kysely';
import type { FieldSet } from '../../core/resource/fields.ts';
import type { Field } from '../../core/resource/resource.ts';
import { restrictionSql, type Selection, type selectionOf } from '../source.ts';
import { compiler } from '../statement.ts';

/** Parts of a statement that refer to each other: they are bound to the tenant with the whole of it. */
export const parts = compiler.withoutPlugins();

/** The columns of a page's records, with a value and the key, which they are in the order of. */
export type Columns = (value: RawBuilder<unknown>) => ReturnType<typeof selectionOf>;

/** The records that the API user may read. */
export const recordsOf = ({ resource, restriction }: FieldSet): Selection => {
  const records: Selection = parts.selectFrom(`${resource.source} as r`);
  return restriction ? records.where(restrictionSql(restriction)) : records;
};

/** Whether a field has one of two values, and always one. */
export const isOfTwo = ({ type, nullable }: Field): boolean => type === 'flag' && !nullable;
