import { resources } from '../../generated/resources.ts';
import { returningIds } from '../db/journal/returning.ts';
import type { OwnerTransaction } from '../db/owner.ts';
import { slotTableOf } from '../db/slots.ts';
import type { DemoRow, DemoTable } from './generate.ts';

/** For each column with references, the table (or list of ids) that its values are positions in. */
const references: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  functions: { wage_profile_id: 'wage_profiles' },
  planners: { language_id: 'languages' },
  clients: { country: 'country' },
  contacts: { client_id: 'clients', gender: 'gender' },
  locations: { country: 'country' },
  employees: { country: 'country', gender: 'gender', language_id: 'languages', wage_profile_id: 'wage_profiles' },
  projects: { client_id: 'clients', contact_id: 'contacts', planner_id: 'planners', reporting_form_ids: 'forms' },
  events: {
    project_id: 'projects',
    client_id: 'clients',
    contact_id: 'contacts',
    planner_id: 'planners',
    location_id: 'locations',
  },
  event_functions: {
    event_id: 'events',
    function_id: 'functions',
    wage_profile_id: 'wage_profiles',
    location_id: 'locations',
  },
  assignments: {
    employee_id: 'employees',
    event_function_id: 'event_functions',
    wage_profile_id: 'wage_profiles',
    approved_wage_profile_id: 'wage_profiles',
    approved_by_planner_id: 'planners',
  },
  checkins: { assignment_id: 'assignments' },
  busy_dates: { employee_id: 'employees' },
  change_requests: { entity_id: 'employees', requested_by: 'employees' },
  collection_values: { collection_id: 'collections' },
  attributes: { entity_id: 'forms' },
  billing_profiles: { client_id: 'clients' },
  billing_components: { billing_profile_id: 'billing_profiles', function_id: 'functions' },
  availability_requests: { employee_id: 'employees' },
  availability_requests_definitions: { availability_request_id: 'availability_requests' },
  availability_requests_availabilities: { availability_request_id: 'availability_requests' },
  assignment_contract: { assignment_id: 'assignments', planner_id: 'planners' },
  assignment_employment_reports: {
    assignment_id: 'assignments',
    planner_id: 'planners',
    report_submission_id: 'forms',
  },
  work_times: { event_function_employee_id: 'assignments', event_function_id: 'event_functions' },
  work_time_proposals: { assignment_id: 'assignments' },
  wage_proposals: { assignment_id: 'assignments' },
  livestamps: { assignment_id: 'assignments' },
  assignment_wages: { assignment_id: 'assignments', wage_profile_id: 'wage_profiles' },
  public_holidays: { country_id: 'country' },
  pay_runs: { wage_profile_id: 'wage_profiles' },
  paysheets: {
    assignment_id: 'assignments',
    pay_run_id: 'pay_runs',
    wage_profile_id: 'wage_profiles',
    project_id: 'projects',
    client_id: 'clients',
    paid_employee_id: 'employees',
  },
  assignment_billings: {
    assignment_id: 'assignments',
    billing_profile_id: 'billing_profiles',
    billing_component_id: 'billing_components',
    project_id: 'projects',
    client_id: 'clients',
  },
};

/** The database's ids by table, at the position (from 1) of their row. */
export type TakenIds = Map<string, readonly number[]>;

/** A row with the database's ids. */
type ColumnValues = Readonly<Record<string, DemoRow[string]>>;

/** Tables whose records have fields that tenants make. */
const dynamicTables: ReadonlySet<string> = new Set(
  Object.values(resources).flatMap(({ dynamic, table }) => (dynamic ? [table] : [])),
);

const slotTables: ReadonlySet<string> = new Set([...dynamicTables].map(slotTableOf));

/** Rows of a statement; the number of its values is limited. */
const chunkSize = 1_000;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Replaces positions in a row by the database's ids. */
const resolve = (table: string, { id: own, ...row }: DemoRow, ids: TakenIds, keyed = false): ColumnValues => {
  const resolved: Record<string, DemoRow[string]> = keyed ? { ...row } : { id: own, ...row };
  for (const [column, target] of [['id', table], ...Object.entries(references[table] ?? {})] as const) {
    const position = resolved[column];
    const idOf = (row: number): number => {
      const id = ids.get(target)?.[row - 1];
      if (id === undefined)
        throw new RangeError(`${table}.${column} refers to row ${row} of ${target}, which does not exist`);
      return id;
    };
    if (typeof position === 'number') resolved[column] = idOf(position);
    else if (Array.isArray(position)) resolved[column] = position.map(idOf);
  }
  return resolved;
};

const insert = async (transaction: OwnerTransaction, table: string, rows: readonly ColumnValues[]): Promise<void> => {
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
const textOf = (value: DemoRow[string]): string | null => {
  if (value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** Writes rows with the database's ids in one statement; all have the columns of the first. */
export const writeRows = async (
  transaction: OwnerTransaction,
  table: string,
  rows: readonly ColumnValues[],
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
  tables: readonly DemoTable[],
  ids: TakenIds,
  taken: ReadonlyMap<string, ReadonlySet<number>>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number>>> => {
  const written: Record<string, number> = {};
  for (const { table, rows, keyed } of tables) {
    if (!keyed) {
      const reserved = await newRowIds(transaction, table, rows.length, taken.get(table));
      ids.set(table, [...(ids.get(table) ?? []), ...reserved]);
    }
    for (let start = 0; start < rows.length; start += chunkSize) {
      signal?.throwIfAborted();
      const chunk = rows.slice(start, start + chunkSize).map(row => resolve(table, row, ids, keyed));
      await writeRows(transaction, table, chunk);
    }
    await analyze(transaction, table, rows.length);
    written[table] = rows.length;
  }
  return written;
};
