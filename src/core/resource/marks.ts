import type { Json } from '../json/value.ts';
import type { ReferredRecords } from './fields.ts';
import type { Field, Resource } from './resource.ts';

/**
 * Returns the marks of a record's entries in the journal: its category, or whose it is.
 * An open record has none. What refers to it is no part of the record and changes; see `guardOf` for what does not.
 */
export const marksOf = (
  { readByCategory, readWhereReferred }: Resource,
  values: Readonly<Record<string, Json>>,
): readonly string[] => {
  const category = values[readByCategory ?? ''] ?? null;
  if (category !== null) return [`:${category}`];
  if (!readWhereReferred) return [];
  const { own, open } = readWhereReferred;
  return values[open.field] === open.value ? [] : [`:${own}=${values[own]}`];
};

/** Returns the mark of a record to which a field with `guardsReading` refers. */
export const guardOf = (table: string, { name }: Pick<Field, 'name'>): string => `:${table}.${name}`;

/** Whether a record with these marks can exist for an API user only because a field refers to it. */
export const isOfOthers = (marks: readonly string[], { userId, own, holders, guards }: ReferredRecords): boolean =>
  guards.some(({ table, field }) => marks.includes(guardOf(table, field))) ||
  (holders !== null && marks.some(mark => mark.startsWith(`:${own}=`) && mark !== `:${own}=${userId}`));
