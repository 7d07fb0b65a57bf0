import type { Cells } from '../core/resource/cells.ts';
import { sourceField } from '../core/resource/fields.ts';
import type { Field } from '../core/resource/resource.ts';
import type { Result, Statement } from '../db/database.ts';
import { isOfValue } from './others/filter.ts';
import { isOfOthers } from './others/page.ts';
import type { ReadPlan } from './plan.ts';
import type { Condition } from './predicate.ts';
import { countStatement, keysStatement, readStatement, recordsStatement } from './sql.ts';

/** Sends statements in one trip; `last`: none follow. */
export type Send = (statements: readonly Statement[], last?: boolean) => Promise<readonly Result[]>;

/**
 * Whether the best plan of a listing's statement depends on its values, which the server's generic plan does not know: it estimates that a
 * filter keeps some records, walks an index in the order asked for and joins row by row, and where none is kept it never stops. Not so for
 * records by their key or external id, for listings without filters that are in the order of the key or of values from others, and for
 * those of such a value in the order of the key.
 */
const isVarying = (plan: ReadPlan): boolean => {
  const columns = [sourceField(plan.set, plan.set.resource.key)];
  return isSearch(plan) && !isOfOthers(plan, columns) && !isOfValue(plan, columns);
};

/** Whether a listing may have filters that keep several records, or is in another order than that of the key. */
const isSearch = ({ set, conditions, order }: ReadPlan): boolean => {
  const { called, key, externalKey } = set.resource;
  if (conditions.some(condition => isOne(condition, key) || isOne(condition, externalKey))) return false;
  return called === true || conditions.length > 0 || order[0]?.field.name !== key;
};

const isOne = ({ field, any: [first, ...others] }: Condition, key: string | undefined): boolean =>
  field.name === key && others.length === 0 && first?.kind === 'equal' && !first.not;

/**
 * Whether a page's keys are read first, with only the joins that its filters and order need, and its records then by their keys: Postgres
 * would otherwise join everything for each record that it filters or sorts, and plan those joins again for each request.
 */
export const isKeysFirst = (plan: ReadPlan): boolean => plan.limit !== null && isJoined(plan) && isSearch(plan);

/** Whether records are looked up by their keys with joins. */
export const isJoined = ({ set: { resource }, fields }: ReadPlan): boolean => {
  const { source, table, called } = resource;
  return !called && (source !== table || fields.some(({ storage }) => storage !== undefined));
};

/** Returns the statements to send in order that the server plans these anew for their values, and later ones of the transaction as before. */
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
export interface Rows {
  readonly rows: readonly Cells[];
  /** Whether the plan's limit leaves rows over. */
  readonly more: boolean;
  readonly count: number | null;
}

/**
 * Reads the rows of a plan's page: in one trip, or in two if its keys are read first.
 * @param all whether only all of them are wanted: the result has none if there are more than the limit
 */
export const readRows = async (
  plan: ReadPlan,
  also: readonly Field[],
  send: Send,
  tenantId: number,
  all: boolean,
): Promise<Rows> => {
  const columns = [...plan.fields, ...also];
  const keysFirst = isKeysFirst(plan);
  const asked = [
    keysFirst ? keysStatement(plan, tenantId) : readStatement(plan, also, tenantId),
    ...(plan.count ? [countStatement(plan, tenantId)] : []),
  ];
  const last = !keysFirst && plan.embeds.length === 0;
  const [page, counted] = isVarying(plan) ? ownResults(await send(plannedAnew(asked), last)) : await send(asked, last);
  const { rows: found, ...result } = cut(plan, page as Result);
  const count = counted ? Number(counted.rows[0]?.[0]) : null;
  const rows = all && result.more ? [] : found;
  if (!keysFirst || rows.length === 0) return { ...result, rows, count };
  const keys = rows.map(row => row.text(0) as string);
  return { ...result, rows: await readRecords(plan, columns, keys, send, tenantId, plan.embeds.length === 0), count };
};

/** The rows of the records with the keys, in the order of these. */
export const readRecords = async (
  plan: ReadPlan,
  columns: readonly Field[],
  keys: readonly string[],
  send: Send,
  tenantId: number,
  last: boolean,
): Promise<readonly Cells[]> => {
  const [records] = await send([recordsStatement(plan, columns, keys, tenantId)], last);
  const place = placeOf(columns, plan.set.resource.key);
  const byKey = new Map(records?.cells.map(row => [row.text(place), row]));
  return keys.flatMap(key => byKey.get(key) ?? []);
};

const cut = ({ limit }: ReadPlan, { cells: rows }: Result): Pick<Rows, 'rows' | 'more'> => {
  const more = limit !== null && rows.length > limit;
  return { rows: more ? rows.slice(0, -1) : rows, more };
};

/** The index of a field's column. */
export const placeOf = (columns: readonly Field[], name: string): number =>
  columns.findIndex(field => field.name === name);
