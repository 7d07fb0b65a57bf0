import { encode } from '../core/resource/codec.ts';
import type { FieldSet, Fields } from '../core/resource/fields.ts';
import { guardOf, marksOf } from '../core/resource/marks.ts';
import type { Field } from '../core/resource/resource.ts';
import type { ChangedRecord, Statement, Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { known } from '../db/journal/returning.ts';
import { journalTables } from '../db/journal/tables.ts';
import { now } from '../db/now.ts';
import { bind, compiler, place, Slot, template } from '../query/statement.ts';
import { changesOf, type Values } from './body.ts';
import { insertBeside, updateBeside } from './writing/beside.ts';
import { assignments, bindFields, generated, hasKey, stored, written } from './writing/columns.ts';
import { insertRows, updateEach } from './writing/each.ts';
import { decoded, inheritingOf, readTemplate } from './writing/lock.ts';
import { sensitiveParts } from './writing/parts.ts';

/** What a write has done with a record. */
export interface Written {
  readonly id: number;
  readonly outcome: 'created' | 'updated' | 'unchanged';
}

/**
 * Adds a record, with the next trip, and returns its id, which values have only as another's.
 * @param copied what it copies from other records, in columns that are none of its fields
 */
export const insert = async (
  set: FieldSet,
  values: Values,
  transaction: Transaction,
  copied: Readonly<Record<string, number>> = {},
): Promise<number> => {
  const { table, key } = set.resource;
  const fields = written(set, values).filter(({ storage }) => !storage);
  const columns = [key, ...Object.keys(copied)];
  const made = template(
    `insert|${table}|${columns}|${fields.map(place)}`,
    () => insertRows(table, columns, fields, 1).compile(),
    { rows: count => insertRows(table, columns, fields, count).compile() },
  );
  const id = Object.hasOwn(values, key) ? Number(values[key]) : await newId(transaction, table);
  const leading = [transaction.tenant.id, id, ...Object.values(copied)].map(String);
  const names = fields.filter(({ name }) => values[name] !== null).map(({ name }) => name);
  const filled = journalTables.get(table)?.filled.filter(name => !Object.hasOwn(values, name)) ?? [];
  const shown = shownBy(table, [key, ...names, ...filled]);
  const own = { ...recordOf(id, values), fields: [...shown, ...marksOf(set.resource, values)] };
  const records = [own, ...guardedBy(table, fields, values)];
  void transaction.defer(
    { ...bindFields(made, fields, values, leading), records },
    ...insertBeside(set, id, values, transaction),
  );
  return id;
};

/** Adds records, many with each statement, with the next trip. */
export const insertAll = async (set: FieldSet, records: readonly Values[], transaction: Transaction): Promise<void> => {
  const { table, key } = set.resource;
  const fields = stored(set).filter(({ name }) => records.some(values => Object.hasOwn(values, name)));
  const width = 1 + fields.length;
  for (let start = 0; start < records.length; start += ROWS) {
    const chunk = records.slice(start, start + ROWS);
    const ids = await transaction.newIds(table, chunk.length);
    const made = template(`insert|${table}|${fields.map(place)}|${chunk.length}`, () =>
      compiler
        .insertInto(table)
        .values(chunk.map((_, row) => ({ [key]: new Slot(1 + row * width), ...assignments(fields, 2 + row * width) })))
        .compile(),
    );
    const cells = chunk.flatMap((values, row) => [
      String(ids[row]),
      ...fields.map(({ name, type }) => encode(type, values[name] ?? null)),
    ]);
    void transaction.defer({ ...bind(made, [String(transaction.tenant.id), ...cells]), name: null });
  }
};

/** The number of a statement's values is limited. */
const ROWS = 500;

/**
 * Changes the given fields of one record, and the time of its last change where it has one.
 * With the next trip.
 * @param values those that differ
 * @param before the record, which is locked
 * @param tenantFields the fields of all resources, if sensitive parts of JSON values are to be told apart
 * @returns the record as responses show it then; inherited and generated values are read, with the next trip
 */
export const update = async (
  set: FieldSet,
  id: number,
  values: Values,
  before: Values,
  transaction: Transaction,
  tenantFields?: Fields,
): Promise<Values> => {
  const { table, key } = set.resource;
  const fields = written(set, values).filter(({ storage }) => !storage);
  const touched = set.byName.has('updated_at');
  const statements = updateBeside(set, id, values, transaction);
  const after = { ...before, ...values };
  const moved = [...inheritedBy(set, values), ...computedBy(set, values)];
  if (touched || fields.length > 0) {
    const isKnown = moved.length === 0;
    const time = touched && { updated_at: now };
    const made = template(
      `update|${table}|${fields.map(place)}|${isKnown}`,
      () =>
        compiler
          .updateTable(table)
          .set({ ...assignments(fields, 2), ...time })
          .where(hasKey(table, key))
          .$if(isKnown, query => query.returning(known))
          .compile(),
      isKnown
        ? {
            compile: () =>
              updateEach(table, key, fields, time || {})
                .returning(known)
                .compile(),
          }
        : undefined,
    );
    const statement = bindFields(made, fields, values, [String(transaction.tenant.id), String(id)]);
    const parts = (field: Field) => tenantFields && sensitiveParts(field, before, after, tenantFields);
    const record = {
      ...recordOf(id, after),
      fields: [
        ...fields.flatMap(field => parts(field) ?? shownBy(table, [field.name])),
        ...(fields.length > 0 ? marksOf(set.resource, after) : []),
      ],
      touched: touched ? (before.updated_at as string) : null,
    };
    statements.push(isKnown ? { ...statement, records: [record] } : statement);
  }
  if (moved.length === 0) {
    void transaction.defer(...statements);
    return after;
  }
  const results = await transaction.send(...statements, reading(set, moved, id, before, transaction));
  return { ...after, ...decoded(moved, results.at(-1)?.rows[0]) };
};

/** The names of the fields that show the columns. */
const shownBy = (table: string, columns: readonly string[]): readonly string[] => {
  const { fields } = journalTables.get(table) ?? {};
  return fields ? columns.flatMap(column => fields.get(column) ?? []) : columns;
};

/** The fields that show other records' values, if the write can give them unnamed values. */
const inheritedBy = (set: FieldSet, values: Values): readonly Field[] => {
  const inheriting = inheritingOf(set.resource.table);
  if (inheriting.size === 0) return [];
  const fields = stored(set).filter(({ name }) => inheriting.has(name));
  const isEmptied = fields.some(({ name }) => values[name] === null);
  const isMoved = written(set, values).some(
    ({ name, references }) => references !== undefined && !inheriting.has(name),
  );
  return isEmptied || isMoved ? fields : [];
};

/** The fields that the database computes from what the write names. */
const computedBy = (set: FieldSet, values: Values): readonly Field[] => {
  const sources = journalTables.get(set.resource.table)?.generated;
  return generated(set).filter(({ name }) => sources?.get(name)?.some(source => Object.hasOwn(values, source)));
};

/** Reads fields after a write; the journal gets those that differ. */
const reading = (
  set: FieldSet,
  fields: readonly Field[],
  id: number,
  before: Values,
  transaction: Transaction,
): Statement => ({
  ...bind(readTemplate(set, fields), [String(transaction.tenant.id), String(id)]),
  tells: {
    table: set.resource.table,
    differing: ([row]) => [{ id: String(id), fields: Object.keys(changesOf(decoded(fields, row), before)) }],
  },
});

/** A record as its write is certain to change it; an external id may not address it. */
const recordOf = (id: number, { external_id: externalId = null }: Values): ChangedRecord => ({
  id: String(id),
  externalId: externalId as string | null,
});

/** The records that exist only for those who see the field that refers to them, with its mark. */
const guardedBy = (table: string, fields: readonly Field[], values: Values): readonly ChangedRecord[] =>
  fields
    .filter(({ guardsReading, name }) => guardsReading && values[name] != null)
    .map(field => ({
      resource: String(field.references),
      id: String(values[field.name]),
      externalId: undefined,
      fields: [guardOf(table, field)],
    }));

/** Removes one record, with the next trip; fails while a foreign key refers to it. */
export const remove = (set: FieldSet, id: number, before: Values, transaction: Transaction): void => {
  const { table, key } = set.resource;
  const made = template(`remove|${table}`, () => compiler.deleteFrom(table).where(hasKey(table, key)).compile());
  const statement = bind(made, [String(transaction.tenant.id), String(id)]);
  const fields = [...marksOf(set.resource, before), ...ownersOf(set, before)];
  void transaction.defer({ ...statement, ...(fields.length > 0 && { fields }) });
};

/** How the journal keeps which records a removed one referred to: as `employee_id=112`. */
const ownersOf = ({ resource }: FieldSet, values: Values): readonly string[] =>
  resource.fields.flatMap(({ name, references, nullable }) =>
    references !== undefined && !nullable && values[name] != null ? [`${name}=${values[name]}`] : [],
  );
