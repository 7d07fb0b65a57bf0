import type { Cells } from '../core/resource/cells.ts';
import type { Field } from '../core/resource/resource.ts';
import type { Result, Statement } from '../db/database.ts';
import { named } from '../db/enter.ts';
import type { ReadPlan, Supplement } from './plan.ts';
import { countStatement, keysStatement, readStatement, recordsStatement, ways } from './sql.ts';
import type { Strategy } from './strategy.ts';

/** Sends statements in one trip; `last`: none follow. */
export type SendStatements = (statements: readonly Statement[], last?: boolean) => Promise<readonly Result[]>;

/** Returns the statements among others that have the server plan them anew for their values. */
export const plannedAnew = (statements: readonly Statement[]): readonly Statement[] => [
  planAnew,
  ...statements,
  planAsBefore,
];

const planAnew = named(
  'plan_anew',
  `select set_config('app.plans', current_setting('plan_cache_mode'), true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
);
const planAsBefore = named(
  'plan_as_before',
  `select set_config('plan_cache_mode', current_setting('app.plans', true), true)`,
);

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

/** Returns the rows with the values that a supplement of the plan has of them. */
export const supplemented = async (
  { embeds, set }: ReadPlan,
  supplement: Supplement,
  columns: readonly Field[],
  rows: readonly Cells[],
  send: SendStatements,
): Promise<readonly Cells[]> => {
  const [place, key] = [placeOf(columns, supplement.field), placeOf(columns, set.resource.key)];
  if (place < 0) return rows;
  const keys = rows.map(row => row.text(key) as string);
  const values = await supplement.values(keys, statements => send(statements, embeds.length === 0));
  return rows.map((row, index) => row.with(place, values[index] ?? null));
};

/**
 * Reads the rows of a plan's page in one trip.
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
  const { keysFirst: byKeys, anew: isAnew } = ways[strategy];
  const first = byKeys
    ? keysStatement(plan, tenantId, strategy, all)
    : readStatement(plan, columns, tenantId, strategy);
  const searching = [first, ...(plan.count ? [countStatement(plan, tenantId)] : [])];
  const sent = isAnew ? plannedAnew(searching) : searching;
  const place = isAnew ? 1 : 0;
  const records: Statement | false = byKeys && {
    ...recordsStatement(plan, columns, 'selected', tenantId),
    // A setting of a transaction is one of a node's session: the statements may be on different ones.
    distributed: earlier => {
      const { items, more } = cut(plan, keysIn(earlier.at(place - sent.length)));
      return recordsStatement(plan, columns, all && more ? [] : items, tenantId);
    },
  };
  const results = await send(records ? [...sent, records] : sent, plan.embeds.length === 0 && !isReading(plan));
  const [found, counted] = results.slice(place) as [Result, Result?];
  const count = plan.count ? Number(counted?.rows[0]?.[0]) : null;
  const keys = byKeys ? cut(plan, keysIn(found)) : null;
  const { items: rows, more } = keys
    ? { ...keys, items: inOrder(plan, columns, keys.items, results.at(-1)) }
    : cut(plan, found.cells);
  return { rows: all && more ? [] : rows, more, count };
};

/** The rows of the records with the keys, in the order of these. */
export const readByKeys = async (
  plan: ReadPlan,
  columns: readonly Field[],
  keys: readonly string[],
  send: SendStatements,
  tenantId: number,
): Promise<readonly Cells[]> => {
  const [records] = await send([recordsStatement(plan, columns, keys, tenantId)]);
  return inOrder(plan, columns, keys, records);
};

const inOrder = (
  plan: ReadPlan,
  columns: readonly Field[],
  keys: readonly string[],
  records: Result | undefined,
): readonly Cells[] => {
  const place = placeOf(columns, plan.set.resource.key);
  const byKey = new Map<string | null, Cells>();
  for (const row of records?.cells ?? []) byKey.set(row.text(place), row);
  return keys.flatMap(key => byKey.get(key) ?? []);
};

/** The keys in the result of `keysStatement`. */
const keysIn = (found: Result | undefined): readonly string[] => found?.rows[0]?.[0]?.match(/\d+/g) ?? [];

const cut = <Item>({ limit }: ReadPlan, found: readonly Item[]): { items: readonly Item[]; more: boolean } => {
  const more = limit !== null && found.length > limit;
  return { items: more ? found.slice(0, limit) : found, more };
};

/** The index of a field's column. */
export const placeOf = (columns: readonly Field[], name: string): number =>
  columns.findIndex(field => field.name === name);
