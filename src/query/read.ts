import type { Cell, Cells } from '../core/resource/cells.ts';
import { sourceField } from '../core/resource/fields.ts';
import type { Representation } from '../core/resource/representation.ts';
import type { Field } from '../core/resource/resource.ts';
import type { Result, Statement, TenantDb, Transaction } from '../db/database.ts';
import { parseCursor, printCursor } from './cursor.ts';
import { asTooLarge, countStatement, embedTooLarge } from './embeds/count.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';
import { besideOf, represent, shownRows } from './representation.ts';
import { isJoined, isKeysFirst, ownResults, placeOf, plannedAnew, readRecords, readRows, type Send } from './rows.ts';
import { embeddedColumns, embedStatement, keysStatement, readStatement } from './sql.ts';

/** The result of a read plan. */
export interface Page<Name extends string = string, Many extends boolean = boolean> {
  readonly representation: Representation<Name, Many>;
  /** Whether the plan's limit leaves records over. */
  readonly more: boolean;
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
  /** The number of records that match the conditions; null unless the plan counts them. */
  readonly count: number | null;
}

/**
 * Reads a plan's records in one trip, or in two if their keys are read first, and all that is embedded in one more, in the same snapshot.
 * @param all whether only all of them are wanted: the result has none if there are more than the limit
 */
export const readPage = <Name extends string, Many extends boolean>(
  plan: ReadPlan<Name, Many>,
  db: TenantDb,
  all = false,
): Promise<Page<Name, Many>> =>
  plan.embeds.length > 0 || isKeysFirst(plan)
    ? db.snapshot(transaction => {
        const send: Send = (statements, last) => transaction[last ? 'finish' : 'send'](...statements);
        return readWith(plan, send, db.tenant.id, all);
      })
    : readWith(plan, statements => db.read(...statements), db.tenant.id, all);

/** Does the same inside a transaction; `ends`: as its end. */
export const readPageIn = <Name extends string, Many extends boolean>(
  plan: ReadPlan<Name, Many>,
  transaction: Transaction,
  ends = false,
): Promise<Page<Name, Many>> => {
  const send: Send = (statements, last) => transaction[ends && last ? 'finish' : 'send'](...statements);
  return readWith(plan, send, transaction.tenant.id);
};

/**
 * A plan's records, however many: a page that has been read, and then one page after the other, each in a transaction of its own. A
 * record whose place in the order changes meanwhile may be left out or occur twice.
 */
export async function* readOn(plan: ReadPlan, first: Page, db: TenantDb): AsyncGenerator<readonly Cells[]> {
  for (let page = first; ; ) {
    yield page.representation.records;
    if (page.next === null) return;
    const after = parseCursor(page.next, plan.bound, plan.order);
    page = await readPage({ ...plan, count: false, after }, db);
  }
}

/** Records that a cursor gives at once. */
const batchSize = 1000;

/**
 * A plan's records, however many, in batches from a cursor of the transaction. Where records have joins, it is one of their keys only, and
 * a batch is then read by its keys. The next batch is under way while one is used.
 */
export async function* readBatches(plan: ReadPlan, transaction: Transaction): AsyncGenerator<readonly Cells[]> {
  const send: Send = statements => transaction.send(...statements);
  const tenantId = transaction.tenant.id;
  const byKeys = isJoined(plan);
  const also = hiddenFields(byKeys ? { ...plan, limit: batchSize } : plan);
  const rows = byKeys
    ? ahead(recordsOf(fetches(keysStatement(plan, tenantId), send), plan, [...plan.fields, ...also], send, tenantId))
    : fetches(readStatement(plan, also, tenantId), send);
  for await (const batch of rows) yield await complete(plan, also, batch, send, tenantId);
}

async function* recordsOf(
  batches: AsyncIterable<readonly Cells[]>,
  plan: ReadPlan,
  columns: readonly Field[],
  send: Send,
  tenantId: number,
): AsyncGenerator<readonly Cells[]> {
  for await (const batch of batches) {
    const keys = batch.map(row => row.text(0) as string);
    yield await readRecords(plan, columns, keys, send, tenantId, false);
  }
}

/** The rows of a statement, in batches from a cursor. */
const fetches = ({ text, values }: Statement, send: Send): AsyncGenerator<readonly Cells[]> =>
  ahead(
    (async function* () {
      await send([quickFetches, { name: null, text: `declare listing no scroll cursor for ${text}`, values }]);
      for (;;) {
        const [{ cells }] = (await send([fetchBatch])) as [Result];
        if (cells.length > 0) yield cells;
        if (cells.length < batchSize) return;
      }
    })(),
  );

/** The same items, each asked for before the one before it is used. */
async function* ahead<T>(items: AsyncIterator<T>): AsyncGenerator<T> {
  const next = () => {
    const coming = items.next();
    // Avoids an unhandled rejection if the caller stops iterating.
    coming.catch(() => {});
    return coming;
  };
  for (let coming = next(); ; ) {
    const { done, value } = await coming;
    if (done) return;
    coming = next();
    yield value;
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

const readWith = async <Name extends string, Many extends boolean>(
  plan: ReadPlan<Name, Many>,
  send: Send,
  tenantId: number,
  all = false,
): Promise<Page<Name, Many>> => {
  const also = hiddenFields(plan);
  const { rows, more, count } = await readRows(plan, also, send, tenantId, all);
  return {
    representation: represent(plan, await complete(plan, also, rows, send, tenantId)),
    more,
    next: more && !all ? cursorAfter(plan, also, rows.at(-1) as Cells) : null,
    count,
  };
};

/** The rows with a cell for each field and embed of the plan: one trip for all that is embedded. */
const complete = async (
  plan: ReadPlan,
  also: readonly Field[],
  rows: readonly Cells[],
  send: Send,
  tenantId: number,
): Promise<readonly Cells[]> => {
  const { fields, embeds } = plan;
  const columns = [...fields, ...also];
  const cells = shownRows(columns, rows);
  if (rows.length === 0 || embeds.length === 0) return cells;
  const sources = embeds.map(({ relation }) => placeOf(columns, relation.from));
  const wanted = sources.map(index => [...new Set(rows.flatMap(row => row.text(index) ?? []))]);
  const results = await send(
    embeds.map((embed, index) => embedStatement(embed, wanted[index] as string[], tenantId)),
    true,
  ).catch(error => {
    throw asTooLarge(error, embeds);
  });
  const groups = embeds.map((embed, index) => embedded(embed, results[index] as Result));
  let left = Math.max(...embeds.map(({ most }) => most));
  return cells.map((own, row) =>
    embeds.reduce((record, embed, index) => {
      const found = groups[index]?.get(rows[row]?.text(sources[index] as number) ?? '') ?? [];
      if (embed.relation.many) left -= found.length;
      if (left < 0) throw embedTooLarge(embed);
      const cell: Cell = embed.relation.many ? found : (found.at(-1) ?? null);
      return record.with(fields.length + index, cell);
    }, own),
  );
};

/**
 * Counts what a whole listing embeds by relations to many, before its first byte.
 * @throws ApiError embed_too_large (400)
 */
export const requireEmbeddable = async (plan: ReadPlan, db: TenantDb): Promise<void> => {
  const many = plan.embeds.filter(({ relation }) => relation.many);
  if (many.length === 0) return;
  const counts = ownResults(
    await db.read(...plannedAnew(many.map(embed => countStatement(plan, embed, db.tenant.id)))),
  );
  let count = 0;
  for (const [index, embed] of many.entries()) {
    count += Number(counts[index]?.rows[0]?.[0]);
    if (count > embed.most) throw embedTooLarge(embed);
  }
};

/** The records of an embed by the key that they are embedded for. */
const embedded = (embed: EmbedPlan, { cells: rows }: Result): ReadonlyMap<string, readonly Cells[]> => {
  const columns = embeddedColumns(embed);
  const cells = shownRows(columns, rows);
  const groups = new Map<string, Cells[]>();
  for (const [index, row] of rows.entries()) {
    const key = row.text(columns.length) as string;
    const [group, own] = [groups.get(key), cells[index] as Cells];
    if (group) group.push(own);
    else groups.set(key, [own]);
  }
  return groups;
};

const cursorAfter = ({ fields, order, bound }: ReadPlan, also: readonly Field[], row: Cells): string => {
  const columns = [...fields, ...also];
  return printCursor(
    order.map(({ field }) => row.text(placeOf(columns, field.name))),
    bound,
  );
};

/** The fields that embeds are looked up by and pages are continued from, where the answer does not show them anyway. */
const hiddenFields = (plan: ReadPlan): readonly Field[] => {
  const beside = besideOf(plan.fields);
  if (plan.embeds.length === 0 && plan.limit === null && beside.length === 0) return [];
  const needed = new Set([...plan.embeds.map(({ relation }) => relation.from), ...beside]);
  if (plan.limit !== null) for (const { field } of plan.order) needed.add(field.name);
  for (const { name } of plan.fields) needed.delete(name);
  return [...needed].map(name => sourceField(plan.set, name));
};
