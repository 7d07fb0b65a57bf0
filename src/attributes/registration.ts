import { randomUUID } from 'node:crypto';
import type { Result, Statement } from '../db/database.ts';
import { slotKinds, slotsOf, slotTableOf } from '../db/slots.ts';

/** A tenant's transaction, in whichever role. */
interface Sender {
  send(...statements: readonly Statement[]): Promise<readonly Result[]>;
}

/** An attribute that a tenant has made, of a form that describes the records of `entity`. */
export interface NewField {
  readonly id: number;
  readonly type: string;
  readonly entity: string;
}

/** Gives the tenant's fields a new version: for every transaction that changes attributes, collections or values of collections. */
export const renewStatement = (tenantId: number): Statement => ({
  name: 'dynamic_renew',
  text: `
    insert into dynamic_versions (tenant_id, id, version) values ($1, 1, $2)
    on conflict (tenant_id, id) do update set version = excluded.version`,
  values: [String(tenantId), randomUUID()],
});

/**
 * Gives a new field the first slot of its kind that no other field of the tenant has or had, and renews the version: the lock on its
 * row keeps others from giving away the same slot. The slot of a deleted field is given again once nothing is left in it.
 */
export const registerField = async (tenantId: number, field: NewField, transaction: Sender): Promise<void> => {
  const [, taken] = await transaction.send(renewStatement(tenantId), takenStatement(tenantId, field));
  const slot = await freeSlot(tenantId, field, new Set(taken?.rows.map(([name]) => name)), transaction);
  await transaction.send({
    name: 'dynamic_register',
    text: 'insert into dynamic_fields (tenant_id, id, entity, slot) values ($1, $2, $3, $4)',
    values: [String(tenantId), String(field.id), field.entity, slot],
  });
};

/** Marks a field as deleted: its name stays known. */
export const unregisterStatement = (tenantId: number, id: number): Statement => ({
  name: 'dynamic_unregister',
  text: `update dynamic_fields set deleted_at = date_trunc('second', now()) where tenant_id = $1 and id = $2`,
  values: [String(tenantId), String(id)],
});

/** Slots of fields that requests under way may still know of. */
const takenStatement = (tenantId: number, { entity }: NewField): Statement => ({
  name: 'dynamic_taken',
  text: `
    select slot from dynamic_fields
    where tenant_id = $1 and entity = $2 and (deleted_at is null or deleted_at > now() - interval '1 hour')`,
  values: [String(tenantId), entity],
});

const freeSlot = async (
  tenantId: number,
  { type, entity }: NewField,
  taken: ReadonlySet<string | null | undefined>,
  transaction: Sender,
): Promise<string> => {
  const kind = slotKinds.find(({ types }) => types.includes(type));
  for (const slot of kind ? slotsOf(kind) : []) {
    if (taken.has(slot)) continue;
    const [left] = await transaction.send({
      name: null,
      text: `select 1 from ${slotTableOf(entity)} where tenant_id = $1 and ${slot} is not null limit 1`,
      values: [String(tenantId)],
    });
    if (left?.rows.length === 0) return slot;
  }
  return 'more';
};
