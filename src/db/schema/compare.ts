import { sql } from 'kysely';
import type { Pool } from '../connection.ts';
import { kyselyOn } from '../kysely.ts';
import { findGaps } from './walls.ts';

/** The tables, views and foreign keys that the service's resources need. */
export interface ExpectedSchema {
  /** Table or view → column → type, as printed by Postgres. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, ExpectedColumn>>>>;
  /** Names of the views: Postgres knows only the types of their columns, not whether they are nullable. */
  readonly views: readonly string[];
  /** Columns that refer to another table. */
  readonly references: readonly { readonly table: string; readonly column: string; readonly target: string }[];
}

interface ExpectedColumn {
  readonly type: string;
  readonly nullable: boolean;
}

/** Returns a line for each difference between expected and actual schema; empty: none. */
export const findDifferences = async (pool: Pool, expected: ExpectedSchema): Promise<readonly string[]> => {
  const db = kyselyOn<Record<never, never>>(pool);
  const columns = (await foundColumns.execute(db)).rows;
  const references = (await foundReferences.execute(db)).rows;
  const conditions = (await foundConditions.execute(db)).rows;
  const other: string[] = [];
  for (const { index, condition, set, column } of conditions) {
    const { rows } = await sql<{ same: boolean }>`
      select bool_and((${sql.raw(condition)}) = ${sql.raw(set)}) as same from generate_series(0, 99) ${sql.id(column)}
    `.execute(db);
    if (!rows[0]?.same) other.push(`index ${index}: expected a condition equal to ${set}, found ${condition}`);
  }
  return [
    ...columnDifferences(expected, columns),
    ...referenceDifferences(expected, references),
    ...other,
    ...(await findGaps(db, Object.keys(expected.columns))),
  ];
};

interface TableColumn {
  readonly table: string;
  readonly isView: boolean;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
}

const foundColumns = sql<TableColumn>`
  select c.relname as "table", c.relkind = 'v' as "isView", a.attname as "column",
    format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')`;

const foundReferences = sql<{ table: string; column: string; target: string }>`
  select c.relname as "table", a.attname as "column", t.relname as target
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  join pg_class t on t.oid = k.confrelid
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey) and a.attname <> 'tenant_id'
  where k.contype = 'f' and k.connamespace = current_schema()::regnamespace`;

/** Reads the conditions of indexes on status sets: comments name the set's function and the column. */
const foundConditions = sql<{ index: string; condition: string; set: string; column: string }>`
  select indexrelid::regclass::text as index, pg_get_expr(indpred, indrelid) as condition,
    obj_description(indexrelid) as set, substring(obj_description(indexrelid) from '\\((\\w+)\\)$') as "column"
  from pg_index i
  join pg_class c on c.oid = i.indexrelid and c.relnamespace = current_schema()::regnamespace
  where indpred is not null and obj_description(indexrelid) ~ '^\\w+\\(\\w+\\)$'`;

const columnDifferences = ({ columns, views }: ExpectedSchema, found: readonly TableColumn[]): string[] => {
  const known = new Map(found.map(column => [`${column.table}.${column.column}`, column]));
  const tables = new Map(found.map(({ table, isView }) => [table, isView]));
  return Object.entries(columns).flatMap(([table, list]) => {
    const isView = views.includes(table);
    const kind = isView ? 'view' : 'table';
    if (!tables.has(table)) return [`${kind} ${table}: missing`];
    if (tables.get(table) !== isView) return [`${table}: expected a ${kind}`];
    return Object.entries(list).flatMap(([column, { type, nullable }]) => {
      const name = `${table}.${column}`;
      const actual = known.get(name);
      if (!actual) return [`column ${name}: missing (${type})`];
      // A view may also return JSON as the type json, which takes less to make.
      if (isView && type === 'jsonb' && actual.type === 'json') return [];
      if (actual.type !== type) return [`column ${name}: expected ${type}, found ${actual.type}`];
      if (isView || actual.nullable === nullable) return [];
      return [`column ${name}: expected ${nullable ? 'null to be allowed' : 'not null'}`];
    });
  });
};

const referenceDifferences = (
  { references }: ExpectedSchema,
  found: readonly { readonly table: string; readonly column: string; readonly target: string }[],
): string[] =>
  references
    .filter(
      ({ table, column, target }) =>
        !found.some(key => key.table === table && key.column === column && key.target === target),
    )
    .map(({ table, column, target }) => `column ${table}.${column}: no foreign key to ${target}`);
