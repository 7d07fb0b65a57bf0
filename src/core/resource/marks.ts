import type { Json } from '../json/value.ts';
import type { Restriction } from './fields.ts';
import type { Field, Resource } from './resource.ts';
import type { ConcealingMarks } from './withheld.ts';

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

/** Returns the marks with which a restriction conceals entries of records. */
export const concealing = (restriction: Restriction): ConcealingMarks => {
  if ('column' in restriction) {
    const any = restriction.hidden.map(category => `:${category}`);
    return { categories: [{ field: restriction.column, any }], any: [], others: [] };
  }
  if (!('guards' in restriction)) return { categories: [], any: [], others: [] };
  const { userId, own, holders, guards } = restriction;
  return {
    categories: [],
    any: guards.map(({ table, field }) => guardOf(table, field)),
    others: holders === null ? [] : [{ start: `:${own}=`, own: `:${own}=${userId}` }],
  };
};

/** Whether a restriction conceals records with these marks, whatever refers to them. */
export const areConcealed = (marks: readonly string[], restriction: Restriction): boolean => {
  const { categories, any, others } = concealing(restriction);
  const each = [...categories.flatMap(category => category.any), ...any];
  return marks.some(
    mark => each.includes(mark) || others.some(({ start, own }) => mark.startsWith(start) && mark !== own),
  );
};
