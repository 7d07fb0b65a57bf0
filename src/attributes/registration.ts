import { randomUUID } from 'node:crypto';
import type { Statement, Transaction } from '../db/database.ts';
import { tenantStatement } from '../db/enter.ts';
import { slotKinds, slotsOf, slotTableOf } from '../db/slots.ts';

/** A transaction of a tenant, in any database role. */
type StatementSender = Pick<Transaction, 'send'>;

/** A new attribute of a form that describes the records of `entity`. */
export interface NewField {
  readonly id: number;
  readonly type: string;
  readonly entity: string;
}

/**
 * Sets a new version of the tenant's fields.
 * Required in every transaction that changes attributes, collections or their values, or working-time rules.
 */
export const renewStatement = (tenantId: number): Statement => ({
  name: 'dynamic_renew',
  text: `
    insert into dynamic_versions (tenant_id, id, version) values ($1, 1, $2)
    on conflict (tenant_id, id) do update set version = excluded.version`,
  values: [String(tenantId), randomUUID()],
});

/**
 * Assigns the first free slot of its kind to a new field and renews the version.
 * The version's row lock prevents concurrent assignment of the same slot. The slot of a deleted field is free once it
 * has no values left. Without a free slot, the field uses the column `more`.
 */
export const registerField = async (tenantId: number, field: NewField, transaction: StatementSender): Promise<void> => {
  const [, taken] = await transaction.send(renewStatement(tenantId), takenStatement(tenantId, field.entity));
  const slot = await freeSlot(tenantId, field, new Set(taken?.rows.map(([name]) => name)), transaction);
  await transaction.send(registerStatement(tenantId, String(field.id), field.entity, slot));
};

const registerStatement = tenantStatement(
  'dynamic_register',
  'insert into dynamic_fields (tenant_id, id, entity, slot) values ($1, $2, $3, $4)',
);

/** Marks an attribute's field as deleted; its name stays registered. */
export const unregisterStatement = tenantStatement(
  'dynamic_unregister',
  `update dynamic_fields set deleted_at = date_trunc('second', now()) where tenant_id = $1 and id = $2`,
);

/** Keeps the category of an attribute that is deleted, so that what it was for stays hidden. */
export const keepCategoryStatement = tenantStatement(
  'dynamic_keep_category',
  'insert into dynamic_deleted_attributes (tenant_id, id, type, category) values ($1, $2, $3, $4)',
);

/** Reads the slots of fields that in-flight requests may still use. */
const takenStatement = tenantStatement(
  'dynamic_taken',
  `select slot from dynamic_fields
    where tenant_id = $1 and entity = $2 and (deleted_at is null or deleted_at > now() - interval '1 hour')`,
);

const freeSlot = async (
  tenantId: number,
  { type, entity }: NewField,
  taken: ReadonlySet<string | null | undefined>,
  transaction: StatementSender,
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
