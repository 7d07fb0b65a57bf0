import type { Cell, Cells, Member, Representation } from '../core/representation.ts';
import type { Field } from '../core/resource.ts';
import type { Result, Row, Statement, TenantDb, Transaction } from '../db/database.ts';
import type { Position } from '../query/cursor.ts';
import { gatherStatement } from '../query/gather.ts';
import type { EmbedPlan, ReadPlan } from '../query/plan.ts';
import { countStatement, embedStatement, readStatement } from '../query/sql.ts';

/** What a plan reads: its records, and where the next page begins after, if its limit leaves some over. */
export interface Page {
  readonly records: readonly Cells[];
  readonly next: Position | null;
  /** All that pass the filters; null unless asked for. */
  readonly count: number | null;
}

/** Reads a plan's records with what they embed: one trip, and one more for all embeds together. */
export const readPage = (plan: ReadPlan, db: TenantDb): Promise<Page> =>
  plan.embeds.length > 0
    ? db.snapshot(transaction => readPageIn(plan, transaction))
    : readWith(plan, statements => db.read(...statements), db.tenant.id);

/** The same inside a transaction that already runs. */
export const readPageIn = (plan: ReadPlan, transaction: Transaction): Promise<Page> =>
  readWith(plan, statements => transaction.send(...statements), transaction.tenant.id);

/** Records that a cursor gives at once. */
const batchSize = 1000;

/** A plan's records, however many, in batches from a cursor of the transaction; each fetch is one statement. */
export async function* readBatches(plan: ReadPlan, transaction: Transaction): AsyncGenerator<readonly Cells[]> {
  const send: Send = statements => transaction.send(...statements);
  const tenantId = transaction.tenant.id;
  const also = hiddenFields(plan);
  const plain = { ...plan, fields: plan.fields.filter(({ gathered }) => !gathered) };
  const { text, values } = readStatement(plain, also, tenantId);
  const next = () => {
    const coming = send([fetchBatch]);
    // Who goes on reading is told; who does not has no use for it.
    coming.catch(() => {});
    return coming;
  };
  await send([quickFetches, { name: null, text: `declare listing no scroll cursor for ${text}`, values }]);
  for (let coming = next(); ; ) {
    const read = ((await coming)[0] as Result).rows;
    const last = read.length < batchSize;
    if (!last) coming = next();
    const rows = await gather(plan, also, read, send, tenantId);
    if (rows.length > 0) yield plan.embeds.length === 0 ? rows : await embed(plan, also, rows, send, tenantId);
    if (last) return;
  }
}

const fetchBatch: Statement = { name: null, text: `fetch ${batchSize} from listing`, values: [] };

/**
 * Planned so that each fetch is quick, rather than all of them together: a plan that sorts or hashes everything first would spend the
 * time that one statement may take before it gives its first row.
 */
const quickFetches: Statement = {
  name: null,
  text: `select set_config('cursor_tuple_fraction', '0.001', true)`,
  values: [],
};

type Send = (statements: readonly Statement[]) => Promise<readonly Result[]>;

const readWith = async (plan: ReadPlan, send: Send, tenantId: number): Promise<Page> => {
  const also = hiddenFields(plan);
  const counting = plan.count ? [countStatement(plan, tenantId)] : [];
  const [result, counted] = await send([readStatement(plan, also, tenantId), ...counting]);
  const all = (result as Result).rows;
  const more = plan.limit !== null && all.length > plan.limit;
  const rows = more ? all.slice(0, -1) : all;
  return {
    records: plan.embeds.length === 0 || rows.length === 0 ? rows : await embed(plan, also, rows, send, tenantId),
    next: more ? position(plan, also, rows.at(-1) as Row) : null,
    count: counted ? Number(counted.rows[0]?.[0]) : null,
  };
};

/** The rows, in which the gathered fields of the plan are missing, with their cells: one trip for all. */
const gather = async (
  { fields, set }: ReadPlan,
  also: readonly Field[],
  rows: readonly Row[],
  send: Send,
  tenantId: number,
): Promise<readonly Row[]> => {
  const gatherers = fields.flatMap(({ gathered }) => gathered ?? []);
  if (gatherers.length === 0 || rows.length === 0) return rows;
  const key = [...fields.filter(({ gathered }) => !gathered), ...also].findIndex(
    ({ name }) => name === set.resource.key,
  );
  const keys = rows.map(row => row[key] as string);
  const results = await send(gatherers.map(gatherer => gatherStatement(gatherer, keys, tenantId)));
  const values = results.map(({ rows }) => new Map(rows.map(([id, value]) => [id, value])));
  return rows.map((row, index) => {
    const [cells, found] = [[...row], [...values]];
    for (const [place, { gathered }] of fields.entries())
      if (gathered) cells.splice(place, 0, found.shift()?.get(keys[index] as string) ?? null);
    return cells;
  });
};

/** The rows with a cell for each embed behind the plan's fields. */
const embed = async (plan: ReadPlan, also: readonly Field[], rows: readonly Row[], send: Send, tenantId: number) => {
  const keys = plan.embeds.map(({ relation }) => columnOf(plan, also, relation.from));
  const wanted = keys.map(index => [...new Set(rows.flatMap(row => row[index] ?? []))]);
  const results = await send(
    plan.embeds.map((embed, index) => embedStatement(embed, wanted[index] as string[], tenantId)),
  );
  const groups = results.map(({ rows }, index) => groupByKey(rows, (plan.embeds[index] as EmbedPlan).fields.length));
  return rows.map(row => [
    ...row.slice(0, plan.fields.length),
    ...plan.embeds.map(({ relation }, index): Cell => {
      const found = groups[index]?.get(row[keys[index] as number] ?? '') ?? [];
      return relation.many ? found : (found.at(-1) ?? null);
    }),
  ]);
};

const position = (plan: ReadPlan, also: readonly Field[], row: Row): Position =>
  plan.order.map(({ field }) => row[columnOf(plan, also, field.name)] ?? null);

const columnOf = (plan: ReadPlan, also: readonly Field[], name: string): number => {
  const index = plan.fields.findIndex(field => field.name === name);
  return index >= 0 ? index : plan.fields.length + also.findIndex(field => field.name === name);
};

/** The records of a plan as an answer lists them. */
export const represent = (plan: ReadPlan, many: boolean, records: readonly Cells[]): Representation => ({
  plural: plan.set.resource.name,
  singular: plan.set.resource.singular,
  many,
  members: members(plan),
  records,
});

/** The fields that embeds and gathered values are looked up by and pages are continued from, where the answer does not show them anyway. */
const hiddenFields = (plan: ReadPlan): readonly Field[] => {
  const gathers = plan.fields.some(({ gathered }) => gathered);
  if (plan.embeds.length === 0 && plan.limit === null && !gathers) return [];
  const needed = new Set(plan.embeds.map(({ relation }) => relation.from));
  if (gathers) needed.add(plan.set.resource.key);
  if (plan.limit !== null) for (const { field } of plan.order) needed.add(field.name);
  for (const { name } of plan.fields) needed.delete(name);
  return [...needed].map(name => plan.set.byName.get(name) as Field);
};

/** The rows by their last column, without it. */
const groupByKey = (rows: readonly Row[], width: number): Map<string, Cells[]> => {
  const groups = new Map<string, Cells[]>();
  for (const row of rows) {
    const key = row[width] as string;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
};

const membersOf = new WeakMap<readonly Field[], readonly Member[]>();

/** Kept for each list of fields, so that the serialisers can keep what they compile for it. */
const fieldMembers = (fields: readonly Field[]): readonly Member[] => {
  let made = membersOf.get(fields);
  if (!made) {
    made = fields.map(({ name, type }) => ({ name, type }));
    membersOf.set(fields, made);
  }
  return made;
};

const members = ({ fields, embeds }: ReadPlan): readonly Member[] => {
  const own = fieldMembers(fields);
  if (embeds.length === 0) return own;
  return [
    ...own,
    ...embeds.map(embed => ({
      name: embed.name,
      many: embed.relation.many,
      singular: embed.set.resource.singular,
      members: fieldMembers(embed.fields),
    })),
  ];
};
