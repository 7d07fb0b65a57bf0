import { createHash } from 'node:crypto';
import { type CompiledQuery, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { cachedBy } from '../core/cached.ts';
import type { Field, FieldType } from '../core/resource/resource.ts';
import type { Withheld } from '../core/resource/withheld.ts';
import { CountedCache } from '../core/tally.ts';
import { tenantPlugin } from '../db/binding/tenant-plugin.ts';
import type { Statement } from '../db/database.ts';
import { compileOnly } from '../db/kysely.ts';
import type { SetForm } from '../db/together/set-form.ts';

/** A placeholder in a compiled statement: the index of its value. Index 0 is the tenant's id. */
export class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** A statement compiled once for all requests of the same shape; each request only binds its values. */
export interface StatementTemplate {
  readonly name: string;
  readonly text: string;
  /** For each SQL parameter, the index of its value. */
  readonly slots: readonly number[];
  /** The form for several of them together, if there is one. */
  readonly form?: SetForm;
}

/** Binds a request's values (the tenant's id first) to a template. */
export const bind = (
  { name, text, slots, form }: StatementTemplate,
  values: readonly (string | null)[],
): Statement => ({
  name,
  text,
  values: slots.map(slot => values[slot] ?? null),
  ...(form && { member: { form, cells: values } }),
});

// biome-ignore lint/suspicious/noExplicitAny: tables and columns come from the resource table, not from a static type
export type AnyTables = any;

/** A query builder that only compiles; it binds every table reference to the tenant in slot 0. */
export const compiler: Kysely<AnyTables> = compileOnly<AnyTables>(tenantPlugin(new Slot(0)));

/** The properties of a field that locate its column. */
type SelectedField = Pick<Field, 'name'> & Partial<Pick<Field, 'type' | 'storage' | 'withheld' | 'saidAs'>>;

/** The SQL of a field's column: in the table or view (alias `r`), or the separate table (`d`). */
export const column = ({ name, type, storage, withheld, saidAs }: SelectedField): RawBuilder<unknown> => {
  if (!storage) {
    const own = saidAs ? inOtherWords(sql.id('r', name), saidAs) : sql.id('r', name);
    return withheld ? unlessWithheld(own, withheld) : own;
  }
  const whole = sql.id('d', storage.column);
  if (storage.member === undefined) return whole;
  if (type === 'json') return sql`(${whole} -> ${sql.lit(storage.member)})`;
  const text = sql`(${whole} ->> ${sql.lit(storage.member)})`;
  return type === 'text' ? sql`(${text} collate "und-x-icu")` : sql`${text}::${columnTypes[type as FieldType]}`;
};

/** The SQL of a column where its value is not withheld, else of what is kept of it. */
const unlessWithheld = (own: RawBuilder<unknown>, withheld: Withheld): RawBuilder<unknown> => {
  const { type, data, keeps, cases } = withheld;
  const text = (value: string) => sql.lit(value);
  const conditions = cases.map(({ type: value, member, named }) => {
    const ofType = sql`${sql.id('r', type)} = ${text(value)}`;
    if (member === undefined) return ofType;
    return sql`(${ofType} and ${sql.id('r', data)} ->> ${text(member)} in (${sql.join(named.map(text))}))`;
  });
  const kept =
    keeps === undefined
      ? sql`null`
      : sql`case when ${own} ->> ${text(keeps)} is not null then jsonb_build_object(${text(keeps)}::text, ${own} -> ${text(keeps)}) end`;
  return sql`(case when ${sql.join([...conditions, isConcealed(withheld)], sql` or `)} then ${kept} else ${own} end)`;
};

/** The SQL condition that the data are an entry of the journal that is concealed. */
const isConcealed = ({ data, marks: { categories, any, others }, records, seen }: Withheld): RawBuilder<unknown> => {
  const member = (name: string) => sql`${sql.id('r', data)} ->> ${sql.lit(name)}`;
  const array = (marks: readonly string[]) => sql`${sql.lit(`{${marks.map(mark => `"${mark}"`)}}`)}::text[]`;
  const marked = [
    ...categories.map(
      category =>
        sql<SqlBool>`(j.fields && ${array(category.any)} and not (j.change = 'updated' and j.fields @> ${array([category.field])}))`,
    ),
    sql<SqlBool>`j.fields && ${array(any)}`,
    ...seen.map(
      ({ resource, parts }) =>
        sql<SqlBool>`(j.change = 'updated' and j.resource = ${sql.lit(resource)} and not j.fields && ${array(parts)})`,
    ),
    // Neither names of fields nor marks contain blanks.
    ...others.map(
      ({ start, own }) =>
        sql<SqlBool>`(strpos(' ' || array_to_string(j.fields, ' '), ${sql.lit(` ${start}`)}) > 0 and not j.fields @> ${array([own])})`,
    ),
  ];
  const concealed = compiler
    .selectFrom('journal as j')
    .select(sql`1`.as('one'))
    .where(sql<SqlBool>`j.position = (${member('position')})::bigint`)
    .where(sql<SqlBool>`j.resource = ${member('resource')} and j.id = (${member('id')})::bigint`)
    .where(sql<SqlBool>`(${sql.join(marked, sql` or `)})`);
  const present = records.map(({ resource, table, column, hidden }) => {
    const found = compiler
      .selectFrom(`${table} as c`)
      .select(sql`1`.as('one'))
      .where(sql<SqlBool>`c.id = (${member('id')})::bigint`)
      .where(sql<SqlBool>`${sql.id('c', column)} = any(${sql.lit(`{${hidden}}`)}::text[])`);
    const isChange = sql`${member('change')} = 'updated' and ${sql.id('r', data)} -> 'fields' @> ${sql.lit(JSON.stringify([column]))}::jsonb`;
    return sql`(${member('resource')} = ${sql.lit(resource)} and not coalesce(${isChange}, false) and exists ${found})`;
  });
  return sql.join([sql`exists ${concealed}`, ...present], sql` or `);
};

/** The SQL of a code, or of the one that is said in its place. */
const inOtherWords = (own: RawBuilder<unknown>, saidAs: Readonly<Record<string, string>>): RawBuilder<unknown> => {
  const cases = Object.entries(saidAs).map(([code, said]) => sql`when ${sql.lit(code)} then ${sql.lit(said)}`);
  return sql`(case ${own} ${sql.join(cases, sql` `)} else ${own} end)`;
};

/** A name of a field's column that is the same for all tenants; names of tenant-defined fields are not. */
export const place = ({ name, type, storage, withheld, saidAs }: SelectedField): string => {
  if (storage) return [storage.column, storage.member, type].join(' ');
  return withheld || saidAs ? variantName(name, [withheld, saidAs]) : name;
};

/** A name of at most 63 bytes: that of a column in a result, and a part of the keys of statements. */
const variantName = (name: string, variant: readonly unknown[]): string =>
  `${name} ${createHash('sha256').update(JSON.stringify(variant)).digest('base64url').slice(0, 22)}`;

/** The places of columns, as a part of a shape. Cached, since lists of fields are. */
export const placesOf = cachedBy((columns: readonly SelectedField[]) => columns.map(place).join());

/** The Postgres type of each field type, to cast parameters to. */
export const columnTypes = {
  integer: sql`bigint`,
  number: sql`numeric`,
  flag: sql`boolean`,
  text: sql`text`,
  date: sql`date`,
  date_time: sql`timestamptz`,
  json: sql`jsonb`,
} as const;

const templates = new CountedCache<string, StatementTemplate>('statements', { max: 2000 });

/** How a template's statements are sent as one. */
export interface SetTemplate extends Partial<Pick<SetForm, 'gives'>> {
  /** What their values become; the text stays, unless `compile` gives another one. */
  readonly ways?: Exclude<SetForm['ways'], 'rows'>;
  readonly compile?: () => CompiledQuery;
  /** The statement for so many rows of values, whose slots go on from row to row. */
  readonly rows?: (count: number) => CompiledQuery;
}

/**
 * The template of a shape, compiled at first use and kept in an LRU cache.
 * @param together its form for several statements, if they can be sent as one
 */
export const template = (shape: string, compile: () => CompiledQuery, together?: SetTemplate): StatementTemplate => {
  const known = templates.get(shape);
  if (known) return known;
  const own = compiled(compile);
  const made = { ...own, ...(together && { form: formOf(shape, own, together) }) };
  templates.set(shape, made);
  return made;
};

const formOf = (shape: string, own: StatementTemplate, { ways = {}, gives = 'none', compile, rows }: SetTemplate) => {
  if (rows) {
    const textFor = (count: number) => template(`${shape}|${count} rows`, () => rows(count));
    return { shape: own.name, gives, ways: 'rows' as const, textFor };
  }
  const text = compile ? compiled(compile) : own;
  return { shape: own.name, gives, ways: { 0: 'shared' as const, ...ways }, textFor: () => text };
};

const compiled = (compile: () => CompiledQuery): Omit<StatementTemplate, 'form'> => {
  const { sql: text, parameters } = compile();
  const name = `s_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
  return { name, text, slots: parameters.map(parameter => (parameter as Slot).index) };
};

/**
 * The values of several statements: a row for each, with the values of their slots as columns of `e`.
 * They have their types at once: row security keeps Postgres from finding a record by a value that is still to be cast.
 */
export const eachOf = (slots: ReadonlyMap<number, FieldType>) => {
  const arrays = [...slots].map(([slot, type]) => sql`${new Slot(slot)}::${columnTypes[type]}[]`);
  const names = [...slots.keys()].map(slot => sql.id(`v${slot}`));
  return sql`unnest(${sql.join(arrays)})`.as<'e'>(sql`e(${sql.join(names)})`);
};

/** The value of a slot in a row of `eachOf`. */
export const eachValue = (slot: number): RawBuilder<unknown> => sql.id('e', `v${slot}`);
