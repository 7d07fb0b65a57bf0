import { resources } from '../../../generated/resources.ts';
import { selects } from '../../attributes/attributes.ts';
import type { Call } from '../../core/call/call.ts';
import type { Parameter } from '../../core/call/parameter.ts';
import type { Json, Listing, Rows } from '../../core/call/reply.ts';
import { parseSwitch } from '../../core/call/switch.ts';
import { onlyValue } from '../../core/call/values.ts';
import type { Cells } from '../../core/resource/cells.ts';
import type { Representation } from '../../core/resource/representation.ts';
import type { TenantDb, Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { showRecord } from '../../engine/verb.ts';

interface ShownChange {
  readonly type: string;
  readonly old_value: Json;
  readonly new_value: Json;
  readonly [member: string]: Json;
}

const name = 'return_values';

/** Removes `return_values` from the parameters and returns its value, true by default. */
export const takeSwitch = (parameters: readonly Parameter[]) => {
  const readable = parseSwitch(name, onlyValue(name, parameters) ?? 'true');
  return { readable, parameters: parameters.filter(([candidate]) => candidate !== name) };
};

type Snapshot = TenantDb['snapshot'];

/**
 * Returns the database, and the snapshot for lookups.
 * That of the listing while it is being read in one, otherwise (the embedded database reads each page in a transaction of its own) a new
 * one.
 */
export const withReader = (db: TenantDb): { readonly db: TenantDb; readonly reader: Snapshot } => {
  let current: Transaction | null = null;
  const snapshot: Snapshot = work =>
    db.snapshot(async transaction => {
      current = transaction;
      try {
        return await work(transaction);
      } finally {
        current = null;
      }
    });
  return { db: { ...db, snapshot }, reader: work => (current ? work(current) : db.snapshot(work)) };
};

/** Returns records with the labels of collection values and the details of files instead of their ids. */
export const showValues = async <Shown extends Representation>(
  body: Rows<Shown>,
  db: Pick<TenantDb, 'snapshot'>,
): Promise<Rows<Shown>> => {
  const { representation } = body;
  const at = placeOf(representation);
  if (at < 0 || representation.records.length === 0) return body;
  const records = await db.snapshot(transaction => show(representation.records, at, transaction));
  return { ...body, representation: { ...representation, records } };
};

/** Returns the response with one change request, with readable values, as the transaction sees it. */
export const showRequest = async (id: number, call: Call, transaction: Transaction) => {
  const reply = await showRecord(resources['change-requests'], id, call, transaction);
  return { ...reply, body: await showValues(reply.body, { snapshot: work => work(transaction) }) };
};

/** Does the same for a long listing, with one database round trip per batch. */
export const showBatches = <Shown extends Representation>(body: Listing<Shown>, reader: Snapshot): Listing<Shown> => {
  const at = placeOf(body.representation);
  if (at < 0) return body;
  const shown = async function* (batches: AsyncIterable<readonly Cells[]>) {
    for await (const batch of batches) yield await reader(transaction => show(batch, at, transaction));
  };
  return { ...body, produce: consume => body.produce(batches => consume(shown(batches))) };
};

const placeOf = ({ members }: Pick<Representation, 'members'>): number =>
  members.findIndex(member => member.name === 'changes');

const show = async (rows: readonly Cells[], at: number, transaction: Transaction): Promise<readonly Cells[]> => {
  const all = rows.map(cells => JSON.parse(cells.text(at) ?? 'null') as readonly ShownChange[]);
  const known = await lookUp(all.flat(), transaction);
  return rows.map((cells, index): Cells => {
    const shown = (all[index] ?? []).map(change => ({
      ...change,
      old_value: known(change.type, change.old_value),
      new_value: known(change.type, change.new_value),
    }));
    return cells.with(at, JSON.stringify(shown));
  });
};

type ShowTyped = (type: string, value: Json) => Json;

/** Returns the readable form of a value by its type; unchanged if its record no longer exists. */
const lookUp = async (changes: readonly ShownChange[], { kysely }: Transaction): Promise<ShowTyped> => {
  const idsOf = (fits: (type: string) => boolean) => [
    ...new Set(
      changes
        .filter(({ type }) => fits(type))
        .flatMap(({ old_value, new_value }) => [old_value, new_value].flat())
        .filter(value => typeof value === 'number'),
    ),
  ];
  const [valueIds, fileIds] = [idsOf(type => selects.has(type)), idsOf(type => type === 'file')];
  const values = valueIds.length
    ? await kysely.selectFrom('collection_values').select(['id', 'name']).where('id', '=', oneOf(valueIds)).execute()
    : [];
  const files = fileIds.length
    ? await kysely
        .selectFrom('files')
        .select(['id', 'path', 'name', 'mime', 'status', 'user_id'])
        .where('id', '=', oneOf(fileIds))
        .execute()
    : [];
  const labels = new Map<Json, Json>(values.map(({ id, name: label }) => [Number(id), label]));
  const details = new Map<Json, Json>(files.map(({ id, ...file }) => [Number(id), { id: Number(id), ...file }]));
  return (type, value) => {
    const shown = selects.has(type) ? labels : type === 'file' ? details : null;
    if (!shown) return value;
    return Array.isArray(value) ? value.map(item => shown.get(item) ?? item) : (shown.get(value) ?? value);
  };
};
