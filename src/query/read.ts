import type { ReadBasis } from '../core/call/reply.ts';
import type { Cells } from '../core/resource/cells.ts';
import { type FieldSet, sourceField } from '../core/resource/fields.ts';
import type { Representation } from '../core/resource/representation.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import type { Result, Statement, TenantDb, Transaction } from '../db/database.ts';
import { plain } from '../db/enter.ts';
import { parseCursor, printCursor } from './cursor.ts';
import type { ReadPlan } from './plan.ts';
import { complete, represent } from './representation.ts';
import { placeOf, readByKeys, readRows, type SendStatements } from './rows.ts';
import { besideOf, readStatement } from './sql.ts';
import { isJoined, strategyOf } from './strategy.ts';

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
 * Reads a plan's records in one trip, and all embeds in one more.
 * All are of the same snapshot.
 * @param all whether only all of them are wanted: the result has none if there are more than the limit
 */
export const readPage = <Name extends string, Many extends boolean>(
  plan: ReadPlan<Name, Many>,
  db: TenantDb,
  all = false,
): Promise<Page<Name, Many>> =>
  plan.embeds.length === 0 && !plan.supplement?.reads
    ? readWith(plan, statements => db.read(...statements), db.tenant.id, all)
    : db.snapshot(transaction => readPageIn(plan, transaction, true, all));

/** Does the same inside a transaction; `ends`: as its end. */
export const readPageIn = <Name extends string, Many extends boolean>(
  plan: ReadPlan<Name, Many>,
  transaction: Transaction,
  ends = false,
  all = false,
): Promise<Page<Name, Many>> => {
  const send: SendStatements = (statements, last) => transaction[ends && last ? 'finish' : 'send'](...statements);
  return readWith(plan, send, transaction.tenant.id, all);
};

/**
 * A plan's records, however many.
 * A page that has been read, and then one page after the other, each in a transaction of its own. A record whose place in the order
 * changes meanwhile may be left out or occur twice.
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
 * A plan's records, however many, in batches from a cursor of the transaction.
 * Where records have joins, it is one of their keys only, and a batch is then read by its keys. The next batch is under way while one is
 * used.
 */
export async function* readBatches(plan: ReadPlan, transaction: Transaction): AsyncGenerator<readonly Cells[]> {
  const send: SendStatements = statements => transaction.send(...statements);
  const tenantId = transaction.tenant.id;
  const byKeys = isJoined(plan.set, plan.fields);
  const columns = columnsOf(byKeys ? { ...plan, limit: batchSize } : plan);
  const found = fetchBatches(readStatement(plan, columns, tenantId, byKeys ? 'keys first' : 'anew'), send);
  const rows = byKeys ? ahead(recordsOfBatches(found, plan, columns, send, tenantId)) : found;
  for await (const batch of rows) yield await complete(plan, columns, batch, send, tenantId);
}

async function* recordsOfBatches(
  batches: AsyncIterable<readonly Cells[]>,
  plan: ReadPlan,
  columns: readonly Field[],
  send: SendStatements,
  tenantId: number,
): AsyncGenerator<readonly Cells[]> {
  for await (const batch of batches) {
    const keys = batch.map(row => row.text(0) as string);
    yield await readByKeys(plan, columns, keys, send, tenantId);
  }
}

/** The rows of a statement, in batches from a cursor: a transaction has one at a time. */
export const fetchBatches = ({ text, values }: Statement, send: SendStatements): AsyncGenerator<readonly Cells[]> =>
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

const fetchBatch = plain(`fetch ${batchSize} from listing`);

/**
 * Planned so that each fetch is quick, rather than all of them together.
 * A plan that sorts or hashes everything first would spend the time that one statement may take before it gives its first row.
 */
const quickFetches = plain(`select set_config('cursor_tuple_fraction', '0.001', true)`);

const readWith = async <Name extends string, Many extends boolean>(
  plan: ReadPlan<Name, Many>,
  send: SendStatements,
  tenantId: number,
  all: boolean,
): Promise<Page<Name, Many>> => {
  const columns = columnsOf(plan);
  const { rows, more, count } = await readRows(plan, columns, strategyOf(plan, columns), send, tenantId, all);
  return {
    representation: represent(plan, await complete(plan, columns, rows, send, tenantId)),
    more,
    next: more && !all ? cursorAfter(plan, columns, rows.at(-1) as Cells) : null,
    count,
  };
};

const cursorAfter = ({ order, bound }: ReadPlan, columns: readonly Field[], row: Cells): string =>
  printCursor(
    order.map(({ field }) => row.text(placeOf(columns, field.name))),
    bound,
  );

/** A plan's fields, and those that embeds are looked up by and pages continue from. */
const columnsOf = ({ set, fields, embeds, order, limit, supplement }: ReadPlan): readonly Field[] => {
  const needed = new Set(besideOf(fields));
  for (const { relation } of embeds) needed.add(relation.from);
  if (supplement) needed.add(set.resource.key);
  if (limit !== null) for (const { field } of order) needed.add(field.name);
  if (needed.size > 0) for (const { name } of fields) needed.delete(name);
  return needed.size === 0 ? fields : [...fields, ...Array.from(needed, name => sourceField(set, name))];
};

/**
 * Returns what the records of a plan follow from.
 * Null if the journal does not have the changes of one of the resources, or if the plan reads from a database function, which may
 * depend on the time.
 * @param also names of resources of which something else is read
 */
export const basisOf = (
  { set, fields, conditions, order, embeds, until }: ReadPlan,
  resources: Readonly<Record<string, Resource>>,
  ...also: readonly string[]
): ReadBasis | null => {
  if (set.resource.called) return null;
  const reads = new Set(also);
  /** Adds the resources that fields are read from, and those that decide which records may be read. */
  const add = ({ resource, restriction }: FieldSet, fields: readonly Field[]): void => {
    reads.add(resource.name);
    for (const { sources = [] } of fields) for (const source of sources) reads.add(source);
    if (restriction && 'holders' in restriction)
      for (const { resource } of [...(restriction.holders ?? []), ...restriction.guards]) reads.add(resource);
  };
  add(set, fields);
  for (const { field } of [...conditions, ...order]) add(set, [field]);
  for (const { set: target, relation, fields } of embeds) {
    if (target.resource.called) return null;
    add(target, [sourceField(target, relation.to), ...fields]);
    add(set, [sourceField(set, relation.from)]);
  }
  for (const name of reads) if (resources[name]?.unjournalled) return null;
  return { reads, until };
};
