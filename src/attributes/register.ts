import type { Result, Statement } from '../db/database.ts';
import { tenantStatement } from '../db/enter.ts';
import { slotTableOf } from '../db/slots.ts';

/** Returns the fields that one of the statements below has read: where their values are stored. */
export const registeredOf = (result: Result | undefined) =>
  (result?.rows ?? []).map(([id, entity, slot]) => ({
    id: Number(id),
    table: slotTableOf(String(entity)),
    slot: String(slot),
  }));

/** A tenant's field as registered. */
export type Registered = ReturnType<typeof registeredOf>[number];

/** Reads the deleted fields that may still have values. */
export const deletedStatement = tenantStatement(
  null,
  `
    select d.id, d.entity, d.slot from dynamic_fields d
    where d.tenant_id = $1 and d.deleted_at is not null and d.emptied_at is null and (d.slot = 'more' or not exists (
      select from dynamic_fields o
      where o.tenant_id = $1 and o.entity = d.entity and o.slot = d.slot and o.deleted_at is null
    ))
    order by d.id`,
);

/** Removes a field's values from at most `count` records. */
export const emptyStatement = ({ id, table, slot }: Registered, tenantId: number, count: number): Statement => {
  const isSlot = slot !== 'more';
  const change = isSlot ? `${slot} = null` : `more = nullif(more - '${id}', '{}')`;
  const has = isSlot ? `${slot} is not null` : `more ? '${id}'`;
  return {
    name: null,
    text: `
      update ${table} set ${change} where tenant_id = $1 and id in (
        select id from ${table} where tenant_id = $1 and ${has} limit ${count} for update skip locked
      )`,
    values: [String(tenantId)],
    // The field is deleted: nothing that a client can read changes.
    fields: [],
  };
};

/**
 * Marks a field as emptied, an hour after its deletion.
 * By then no request that could still write a value is in progress.
 */
export const emptiedStatement = tenantStatement(
  null,
  `update dynamic_fields set emptied_at = now()
    where tenant_id = $1 and id = $2 and deleted_at < now() - interval '1 hour'`,
);

/**
 * Prevents reuse of slots until the transaction ends.
 * registration.ts updates the version before it reuses one.
 */
export const holdStatement = tenantStatement(
  null,
  'select version from dynamic_versions where tenant_id = $1 and id = 1 for update',
);
