import { sql } from 'kysely';
import { TENANT_ROLE } from '../enter.ts';
import { type Definitions, tenantTable } from '../schema.ts';
import { slotKinds, slotsOf } from '../slots.ts';

const entities = ['clients', 'contacts', 'employees'];

const slotColumns = Object.fromEntries(
  slotKinds.flatMap(kind => slotsOf(kind).map(slot => [slot, kind.type] as const)),
);

/**
 * A table of slots beside each table with dynamic fields, one row for each of its records, and the register of the fields that the
 * tenants have made: each has a slot. Deleted ones stay in it, so that their names are known to be gone.
 */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'dynamic_versions', { columns: { version: 'uuid not null' } });
  await tenantTable(db, 'dynamic_fields', {
    columns: {
      entity: 'text not null',
      // The column that holds the values; `more`: a member of that column.
      slot: 'text not null',
      deleted_at: 'timestamptz(0)',
      // Since when no record has a value of it any more.
      emptied_at: 'timestamptz(0)',
    },
    indexes: [['entity', 'slot']],
  });
  for (const entity of entities) {
    await tenantTable(db, `dynamic_${entity}`, {
      columns: { ...slotColumns, more: 'jsonb' },
      references: { id: { table: entity, onDelete: 'cascade' } },
      indexes: Object.keys(slotColumns).map(slot => [slot]),
    });
    await sql.raw(addRow(entity)).execute(db);
    await sql
      .raw(`create trigger dynamic_row after insert on ${entity} for each row execute function dynamic_${entity}_row()`)
      .execute(db);
  }
  await sql.raw(renew).execute(db);
  await sql.raw(register).execute(db);
  await sql.raw(`grant execute on function dynamic_renew, dynamic_register to ${TENANT_ROLE}`).execute(db);
  for (const table of ['attributes', 'collections', 'collection_values'])
    await sql
      .raw(`create trigger dynamic_renew after insert or update or delete on ${table}
        for each row execute function dynamic_renew()`)
      .execute(db);
  // Triggers fire by name: the version's row, which the renewal locks, keeps others from giving away the same slot.
  await sql
    .raw(`create trigger dynamic_slot after insert or delete on attributes
      for each row execute function dynamic_register()`)
    .execute(db);
};

const addRow = (entity: string): string => `
  create function dynamic_${entity}_row() returns trigger language plpgsql as $$
  begin
    insert into dynamic_${entity} (tenant_id, id) values (new.tenant_id, new.id);
    return null;
  end $$`;

/** The version is another as soon as anything that fields are made of is; once for each transaction is enough. */
const renew = `
  create function dynamic_renew() returns trigger language plpgsql as $$
  declare
    tenant bigint := coalesce(new.tenant_id, old.tenant_id);
  begin
    if coalesce(current_setting('app.dynamic_renewed', true), '') = tenant::text then return null; end if;
    insert into dynamic_versions (tenant_id, id, version) values (tenant, 1, gen_random_uuid())
      on conflict (tenant_id, id) do update set version = excluded.version;
    perform set_config('app.dynamic_renewed', tenant::text, true);
    return null;
  end $$`;

const kindOfType = slotKinds.flatMap(({ name, types }) => types.map(type => `when '${type}' then '${name}'`)).join(' ');
const counts = slotKinds.map(({ name, count }) => `when '${name}' then ${count}`).join(' ');

/**
 * Gives an attribute of an entity's form the first slot of its kind that no other field of the tenant has or had, and marks the
 * field as deleted in the end. The slot of a deleted field is given again once nothing is left in it.
 */
const register = `
  create function dynamic_register() returns trigger language plpgsql as $$
  declare
    form text;
    kind text;
    place text := 'more';
    used boolean;
  begin
    if tg_op = 'DELETE' then
      update dynamic_fields d set deleted_at = date_trunc('second', now())
        where d.tenant_id = old.tenant_id and d.id = old.id;
      return null;
    end if;
    select f.entity into form from forms f where f.tenant_id = new.tenant_id and f.id = new.entity_id;
    if not new.deletable or form not in (${entities.map(entity => `'${entity}'`).join(', ')}) then return null; end if;
    kind := case new.type ${kindOfType} end;
    for number in 1 .. case kind ${counts} else 0 end loop
      if exists (
        select from dynamic_fields d
        where d.tenant_id = new.tenant_id and d.entity = form and d.slot = kind || '_' || number
          and (d.deleted_at is null or d.deleted_at > now() - interval '1 hour')
      ) then continue; end if;
      execute format('select exists (select from %I where tenant_id = $1 and %I is not null)',
        'dynamic_' || form, kind || '_' || number) into used using new.tenant_id;
      if not used then
        place := kind || '_' || number;
        exit;
      end if;
    end loop;
    insert into dynamic_fields (tenant_id, id, entity, slot) values (new.tenant_id, new.id, form, place);
    return null;
  end $$`;
