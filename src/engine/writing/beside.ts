import { sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import { encode } from '../../core/resource/codec.ts';
import type { FieldSet } from '../../core/resource/fields.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import type { ChangedRecord, Statement, Transaction } from '../../db/database.ts';
import { slotKinds, slotsOf, slotTableOf } from '../../db/slots.ts';
import { bind, compiler, place, Slot, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';
import { assignments, hasKey, written } from './columns.ts';
import { insertRows, updateEach } from './each.ts';

/** What lies beside a record, which always has a row there. */
const besideRecord = (id: number): ChangedRecord => ({ id: String(id), externalId: undefined });

/** The values beside the resource's table: their columns, and the texts of the values. */
const besideOf = (set: FieldSet, values: Values) => {
  const fields = written(set, values).filter(({ storage }) => storage);
  const columns = fields.filter(({ storage }) => storage?.member === undefined);
  const members = fields.filter(({ storage }) => storage?.member !== undefined);
  const [more] = members.flatMap(({ storage }) => storage?.column ?? []);
  const merge = Object.fromEntries(
    members.map(({ name, type, storage }) => [storage?.member, memberOf(type, values[name] ?? null)]),
  );
  const cells = columns.map(({ name, type }) => encode(type, values[name] ?? null));
  return {
    names: fields.map(({ name }) => name),
    columns,
    more,
    cells: more ? [...cells, JSON.stringify(merge)] : cells,
  };
};

/** Adds the row beside a new record, if its resource has such rows. */
export const insertBeside = (set: FieldSet, id: number, values: Values, transaction: Transaction): Statement[] => {
  if (!set.resource.dynamic) return [];
  const table = slotTableOf(set.resource.table);
  const { names, columns, more, cells } = besideOf(set, values);
  const made = template(
    `insert|${table}|${columns.map(place)}|${more}`,
    () =>
      compiler
        .insertInto(table)
        .values({
          id: new Slot(1),
          ...assignments(columns, 2),
          ...(more && { [more]: sql`jsonb_strip_nulls(${new Slot(2 + columns.length)}::jsonb)` }),
        })
        .compile(),
    more === undefined ? { rows: count => insertRows(table, ['id'], columns, count).compile() } : undefined,
  );
  const statement = bind(made, [String(transaction.tenant.id), String(id), ...cells]);
  return [{ ...statement, fields: names, records: [besideRecord(id)] }];
};

/** Changes those of the values that lie beside the resource's table. */
export const updateBeside = (set: FieldSet, id: number, values: Values, transaction: Transaction): Statement[] => {
  const table = slotTableOf(set.resource.table);
  const { names, columns, more, cells } = besideOf(set, values);
  if (cells.length === 0) return [];
  const made = template(
    `update|${table}|${columns.map(place)}|${more}`,
    () =>
      compiler
        .updateTable(table)
        .set({ ...assignments(columns, 2), ...(more && { [more]: merged(table, more, 2 + columns.length) }) })
        .where(hasKey(table, 'id'))
        .compile(),
    more === undefined ? { compile: () => updateEach(table, 'id', columns, {}).compile() } : undefined,
  );
  const statement = bind(made, [String(transaction.tenant.id), String(id), ...cells]);
  return [{ ...statement, fields: names, records: [besideRecord(id)] }];
};

/** Empties the row beside a record of what it still has of deleted fields; `update` clears the others. */
export const emptyBeside = async ({ table: name }: Resource, id: number, transaction: Transaction): Promise<void> => {
  const table = slotTableOf(name);
  const made = template(`empty|${table}`, () => {
    const columns = [...slotKinds.flatMap(slotsOf), 'more'];
    return compiler
      .updateTable(table)
      .set(Object.fromEntries(columns.map(slot => [slot, sql`null`])))
      .where(hasKey(table, 'id'))
      .where(({ or, eb }) => or(columns.map(slot => eb(slot, 'is not', null))))
      .compile();
  });
  await transaction.send({ ...bind(made, [String(transaction.tenant.id), String(id)]), fields: [] });
};

/** The members of a jsonb column with others over them; a null takes one away. */
const merged = (table: string, name: string, slot: number) =>
  sql`jsonb_strip_nulls(coalesce(${sql.id(table, name)}, '{}') || ${new Slot(slot)}::jsonb)`;

/** A value as a member of a jsonb column has it: the text of a flag is that of a boolean. */
const memberOf = (type: Field['type'], value: Json): Json => (type === 'flag' && value !== null ? value === 1 : value);
