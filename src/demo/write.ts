import { resources } from '../../generated/resources.ts';
import { returningIds } from '../db/journal/returning.ts';
import type { OwnerTransaction } from '../db/owner.ts';
import { slotTableOf } from '../db/slots.ts';

/** A value of a row, as JSON. */
export type DemoValue = string | number | boolean | null | object;
/**
 * A row to write.
 * `id` and references are positions within the data, from 1, which are replaced by the database's ids.
 */
export type DemoRow = Readonly<Record<string, DemoValue>>;

/** The rows of each table, in an order in which the tables can be written. */
export type DemoTables = Readonly<Record<string, readonly DemoRow[]>>;

/** What columns refer to whose names do not say it, as `client_id` says `clients`; null: nothing. */
const targets: Readonly<Record<string, string | null>> = {
  country: 'country',
  country_id: 'country',
  gender: 'gender',
  approved_wage_profile_id: 'wage_profiles',
  approved_by_planner_id: 'planners',
  'attributes.entity_id': 'forms',
  report_submission_id: 'forms',
  reporting_form_ids: 'forms',
  'change_requests.entity_id': 'employees',
  requested_by: 'employees',
  paid_employee_id: 'employees',
  event_function_employee_id: 'assignments',
  wage_type_id: null,
};

/** Returns the columns with references, and the tables (or lists of ids) that they are positions in. */
const referencesOf = (table: string, row: object): readonly (readonly [column: string, target: string])[] =>
  Object.keys(row).flatMap(column => {
    if (column === 'id') return [[column, table] as const];
    const named = column.endsWith('_id') ? column.replace(/_id$/, 's') : null;
    const { [column]: own = named, [`${table}.${column}`]: target = own } = targets;
    return target === null ? [] : [[column, target] as const];
  });

/** The database's ids by table, at the position (from 1) of their row. */
export type TakenIds = Map<string, readonly number[]>;

/** Tables whose records have fields that tenants make. */
const dynamicTables: ReadonlySet<string> = new Set(
  Object.values(resources).flatMap(({ dynamic, table }) => (dynamic ? [table] : [])),
);

const slotTables: ReadonlySet<string> = new Set([...dynamicTables].map(slotTableOf));

/** Rows of a statement; the number of its values is limited. */
const chunkSize = 1_000;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns rows with the database's ids in place of positions. */
const resolve = (table: string, rows: readonly DemoRow[], ids: TakenIds): readonly DemoRow[] => {
  const references = referencesOf(table, rows[0] ?? {}).map(([column, target]) => {
    const idOf = (position: number): number => {
      const id = ids.get(target)?.[position - 1];
      if (id !== undefined) return id;
      throw new RangeError(`${table}.${column} refers to row ${position} of ${target}, which does not exist`);
    };
    return [column, idOf] as const;
  });
  return rows.map(row => {
    const resolved: Record<string, DemoValue> = { ...row };
    for (const [column, idOf] of references) {
      const position = row[column];
      if (typeof position === 'number') resolved[column] = idOf(position);
      else if (Array.isArray(position)) resolved[column] = position.map(idOf);
    }
    return resolved;
  });
};

const insert = async (transaction: OwnerTransaction, table: string, rows: readonly DemoRow[]): Promise<void> => {
  const columns = Object.keys(rows[0] ?? {});
  const places = rows.map((_, row) => columns.map((_, column) => `$${2 + row * columns.length + column}`).join(', '));
  await transaction.send({
    name: null,
    text: `insert into ${quote(table)} (tenant_id, ${columns.map(quote).join(', ')}) values ($1, ${places.join('), ($1, ')})${returningIds(table)}`,
    // Their values are written later.
    ...(slotTables.has(table) && { fields: [] }),
    values: [String(transaction.tenantId), ...rows.flatMap(row => columns.map(column => textOf(row[column] ?? null)))],
  });
};

/** A value as Postgres reads it: lists and objects are JSON. */
const textOf = (value: DemoValue): string | null => {
  if (value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** Writes rows with the database's ids in one statement; all have the columns of the first. */
export const writeRows = async (
  transaction: OwnerTransaction,
  table: string,
  rows: readonly DemoRow[],
): Promise<void> => {
  await insert(transaction, table, rows);
  if (!dynamicTables.has(table)) return;
  await insert(
    transaction,
    slotTableOf(table),
    rows.map(({ id = null }) => ({ id })),
  );
};

/** Returns new ids for rows of a table; later ones, too, will not be among those that are taken. */
const newRowIds = async (
  transaction: OwnerTransaction,
  table: string,
  count: number,
  taken: ReadonlySet<number> = new Set(),
): Promise<readonly number[]> => {
  const last = [...taken].reduce((highest, id) => Math.max(highest, id), 0);
  let ids: readonly number[] = [];
  let newest = 0;
  while (ids.length < count || newest < last) {
    const missing = Math.max(count - ids.length, newest === 0 ? 1 : last - newest);
    const more = await transaction.newIds(table, missing);
    newest = more.at(-1) ?? newest;
    ids = [...ids, ...more.filter(id => !taken.has(id))];
  }
  return ids.slice(0, count);
};

/**
 * Updates the statistics of a table, unless the new rows are few among its earlier ones.
 * Without, the first queries would be planned for empty tables.
 */
const analyze = async (transaction: OwnerTransaction, table: string, added: number): Promise<void> => {
  const text = 'select reltuples from pg_class where oid = $1::regclass';
  const [known] = await transaction.send({ name: null, text, values: [quote(table)] });
  if (Number(known?.rows[0]?.[0]) > added * 10) return;
  await transaction.send({ name: null, text: `analyze ${quote(table)}`, values: [] });
};

/**
 * Writes tables in the given order, with thousands of rows per statement.
 * @param ids the ids of existing rows; the positions of new rows follow them
 * @param taken the ids of each table that rows which were written without new ids have
 * @returns the number of written rows by table
 * @throws Error of the signal once it is aborted
 */
export const writeTables = async (
  transaction: OwnerTransaction,
  tables: DemoTables,
  ids: TakenIds,
  taken: ReadonlyMap<string, ReadonlySet<number>>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number>>> => {
  const written: Record<string, number> = {};
  for (const [table, rows] of Object.entries(tables)) {
    // Parts of other records have no ids of their own.
    if (rows.every(row => 'id' in row)) {
      const reserved = await newRowIds(transaction, table, rows.length, taken.get(table));
      ids.set(table, [...(ids.get(table) ?? []), ...reserved]);
    }
    for (let start = 0; start < rows.length; start += chunkSize) {
      signal?.throwIfAborted();
      const chunk = rows.slice(start, start + chunkSize);
      await writeRows(transaction, table, resolve(table, chunk, ids));
    }
    await analyze(transaction, table, rows.length);
    written[table] = rows.length;
  }
  return written;
};
