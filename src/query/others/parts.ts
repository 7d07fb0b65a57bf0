import { type QueryCreator, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { FieldSet } from '../../core/resource/fields.ts';
import type { Field } from '../../core/resource/resource.ts';
import { afterSql, type PageBound } from '../condition.ts';
import type { ReadPlan } from '../plan.ts';
import { directionOf, type OrderTerm } from '../sort.ts';
import {
  type FieldOrigin,
  limitOf,
  type Owner,
  readable,
  type Selection,
  type selectionOf,
  sourceOf,
} from '../source.ts';
import { type AnyTables, column, compiler, place } from '../statement.ts';

/** Parts of a statement that refer to each other: they are bound to the tenant with the whole of it. */
export const parts = compiler.withoutPlugins();

/** The columns of a page's records, with a value and the key, which they are in the order of. */
export type ColumnSelection = (value: RawBuilder<unknown>) => ReturnType<typeof selectionOf>;

/** How many records are looked through at least. */
const tried = 500;

/** The keys of the records that come next in the order of the key. */
export const nextKeys = (plan: ReadPlan, key: OrderTerm, bounds: readonly PageBound[]): Selection => {
  const own = column(key.field);
  return readableRecords(plan.set, [key.field])
    .select(sql`${own}`.as('key'))
    .$if(bounds.length > 0, query => query.where(afterSql(bounds)))
    .orderBy(own, directionOf(key))
    .limit(limitOf(plan, tried));
};

/** Own fields, and then an owner, that a value is read from: the first one that is not null. */
interface OwnAndOwned {
  readonly own: readonly Field[];
  readonly owners: readonly [Owner, ...Owner[]];
}

/** Where all origins of a value but the last are the record's own; undefined where they are not. */
export const ownAndOwned = (origins: readonly FieldOrigin[]): OwnAndOwned | undefined => {
  const own = origins.slice(0, -1);
  const [owner, ...above] = origins.at(-1)?.owners ?? [];
  if (!owner || own.some(({ owners }) => owners.length > 0)) return undefined;
  return { own: own.map(({ field }) => field), owners: [owner, ...above] };
};

/** Selections of records by where they have their value from, each record once. */
export const eachOnce = (
  own: readonly Field[],
  ofOwn: (field: Field) => Selection,
  owned: Selection,
): readonly Selection[] => {
  const lacking = own.map(field => sql<SqlBool>`${column(field)} is null`);
  const after = (selection: Selection, count: number): Selection =>
    lacking.slice(0, count).reduce((selection, condition) => selection.where(condition), selection);
  return [...own.map((field, index) => after(ofOwn(field), index)), after(owned, own.length)];
};

/** A part of a statement, and its name in the others. */
export type NamedSelection = readonly [name: string, selection: Selection];

/**
 * Selects columns of a page's records, alias `r`, from where it was looked for, or else from others.
 * @param look steps of which `first` selects records, and `filled` whether they are the page
 * @param others those that have the page if `first` is not it
 */
export const lookedFor = (
  look: readonly NamedSelection[],
  others: readonly NamedSelection[],
  columns: readonly Field[],
): Selection => {
  const isFull = sql<SqlBool>`(${parts.selectFrom('filled').select('is_full')})`;
  const steps = [...look, ...others.map(([name, step]) => [name, step.where(sql<SqlBool>`not ${isFull}`)] as const)];
  const page = parts.selectFrom('first').selectAll().where(isFull);
  return fromParts(steps, [page, ...others.map(([name]) => parts.selectFrom(name).selectAll())], columns);
};

/**
 * Selects columns of the records of all pages, alias `r`.
 * @param steps the parts that these refer to, each computed once
 */
export const fromParts = (
  steps: readonly NamedSelection[],
  [first, ...pages]: readonly [Selection, ...Selection[]],
  columns: readonly Field[],
): Selection => {
  let query: QueryCreator<AnyTables> = compiler;
  for (const [name, step] of steps)
    query = query.with(
      cte => cte(name).materialized(),
      () => step,
    );
  return query
    .selectFrom(pages.reduce((all, page) => all.unionAll(page), first).as('r'))
    .select(columns.map(field => sql`${sql.id('r', place(field))}`.as(place(field))));
};

/** The records that the API user may read, from a source that has the fields. */
export const readableRecords = (set: FieldSet, fields: readonly Field[]): Selection =>
  readable(sourceOf(set, fields, parts), set);

/** Whether a field has one of two values, and always one. */
export const isOfTwo = ({ type, nullable }: Field): boolean => type === 'flag' && !nullable;
