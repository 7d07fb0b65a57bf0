import type { Cells } from '../core/resource/cells.ts';
import type { Field } from '../core/resource/resource.ts';
import type { Result, Statement } from '../db/database.ts';
import type { ReadPlan } from './plan.ts';
import { countStatement, readStatement, recordsStatement } from './sql.ts';
import { isPlannedAnew, readsKeysFirst, type Strategy } from './strategy.ts';

/** Sends statements in one trip; `last`: none follow. */
export type SendStatements = (statements: readonly Statement[], last?: boolean) => Promise<readonly Result[]>;

/** Returns the statements among others that have the server plan them anew for their values. */
export const plannedAnew = (statements: readonly Statement[]): readonly Statement[] => [
  planAnew,
  ...statements,
  planAsBefore,
];

const planAnew: Statement = {
  name: 'plan_anew',
  text: `select set_config('app.plans', current_setting('plan_cache_mode'), true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
  values: [],
};
const planAsBefore: Statement = {
  name: 'plan_as_before',
  text: `select set_config('plan_cache_mode', current_setting('app.plans', true), true)`,
  values: [],
};

/** Returns those of the results of `plannedAnew` that are its statements' own. */
export const ownResults = (results: readonly Result[]): readonly Result[] => results.slice(1, -1);

/** The rows of a plan's page, of its fields and `also`. */
export interface PageRows {
  readonly rows: readonly Cells[];
  /** Whether the plan's limit leaves rows over. */
  readonly more: boolean;
  readonly count: number | null;
}

/** Whether the values of a supplement need a trip after the records. */
const isReading = ({ supplement, fields }: ReadPlan): boolean =>
  supplement?.reads === true && placeOf(fields, supplement.field) >= 0;

/** Returns the rows with the values that the plan's supplement has of them. */
export const supplemented = async (
  plan: ReadPlan,
  columns: readonly Field[],
  rows: readonly Cells[],
  send: SendStatements,
): Promise<readonly Cells[]> => {
  const { supplement, embeds, set } = plan;
  const [place, key] = [placeOf(columns, supplement?.field ?? ''), placeOf(columns, set.resource.key)];
  if (!supplement || place < 0 || rows.length === 0) return rows;
  const values = await supplement.values(
    rows.map(row => row.text(key) as string),
    statements => send(statements, embeds.length === 0),
  );
  return rows.map((row, index) => row.with(place, values[index] ?? null));
};

/** Sends a plan's first statements. @param strategy how its records are read */
const sendFirst = (
  plan: ReadPlan,
  columns: readonly Field[],
  send: SendStatements,
  tenantId: number,
  strategy: Strategy,
) => {
  const statements = [
    readStatement(plan, columns, tenantId, strategy),
    ...(plan.count ? [countStatement(plan, tenantId)] : []),
  ];
  const last = !readsKeysFirst(strategy) && plan.embeds.length === 0 && !isReading(plan);
  return isPlannedAnew(strategy) ? send(plannedAnew(statements), last).then(ownResults) : send(statements, last);
};

/**
 * Reads the rows of a plan's page: in one trip, or in two if its keys are read first.
 * @param columns the plan's fields, and others to read with them
 * @param all whether only all of them are wanted: the result has none if there are more than the limit
 */
export const readRows = async (
  plan: ReadPlan,
  columns: readonly Field[],
  strategy: Strategy,
  send: SendStatements,
  tenantId: number,
  all: boolean,
): Promise<PageRows> => {
  const [page, counted] = await sendFirst(plan, columns, send, tenantId, strategy);
  const { rows: found, ...result } = cut(plan, page as Result);
  const count = counted ? Number(counted.rows[0]?.[0]) : null;
  const rows = all && result.more ? [] : found;
  if (!readsKeysFirst(strategy) || rows.length === 0) return { ...result, rows, count };
  const keys = rows.map(row => row.text(0) as string);
  return { ...result, rows: await readRecords(plan, columns, keys, send, tenantId, plan.embeds.length === 0), count };
};

/** The rows of the records with the keys, in the order of these. */
export const readRecords = async (
  plan: ReadPlan,
  columns: readonly Field[],
  keys: readonly string[],
  send: SendStatements,
  tenantId: number,
  last: boolean,
): Promise<readonly Cells[]> => {
  const [records] = await send([recordsStatement(plan, columns, keys, tenantId)], last);
  const place = placeOf(columns, plan.set.resource.key);
  const byKey = new Map(records?.cells.map(row => [row.text(place), row]));
  return keys.flatMap(key => byKey.get(key) ?? []);
};

const cut = ({ limit }: ReadPlan, { cells: rows }: Result): Pick<PageRows, 'rows' | 'more'> => {
  const more = limit !== null && rows.length > limit;
  return { rows: more ? rows.slice(0, -1) : rows, more };
};

/** The index of a field's column. */
export const placeOf = (columns: readonly Field[], name: string): number =>
  columns.findIndex(field => field.name === name);
