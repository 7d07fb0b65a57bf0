import { sql } from 'kysely';
import type { Result, Row, Statement, Transaction } from '../db/database.ts';
import { type FieldError, fieldError } from '../errors.ts';
import { bind, compiler, Slot, template } from '../query/statement.ts';
import type { Values } from './body.ts';
import type { FieldSet } from './fields.ts';
import type { Field, Resource } from './resource.ts';

/** Looks up what a value refers to, and tells by the row found what stands against it. */
interface Check {
  readonly statement: Statement;
  readonly judge: (row: Row | undefined) => FieldError | null;
}

/**
 * Checks that every record that the values refer to exists in the tenant and takes new references, and that the values of selects
 * are in their collections; one trip for all.
 */
export const checkReferences = async (
  set: FieldSet,
  values: Values,
  resources: Readonly<Record<string, Resource>>,
  transaction: Transaction,
): Promise<FieldError[]> => {
  const checks = set.fields.flatMap((field): Check[] => {
    const id = values[field.name];
    if (typeof id !== 'number') return [];
    if (field.references) return [referenceCheck(field, resources[field.references] as Resource, id, transaction)];
    return field.attribute?.type === 'select' ? [selectCheck(field, field.attribute.id, id, transaction)] : [];
  });
  if (checks.length === 0) return [];
  const results = await transaction.send(...checks.map(({ statement }) => statement));
  return checks.flatMap(({ judge }, index) => judge((results[index] as Result).rows[0]) ?? []);
};

const referenceCheck = ({ name }: Field, target: Resource, id: number, { tenant }: Transaction): Check => ({
  statement: bind(stateTemplate(target), [String(tenant.id), String(id)]),
  judge: row => {
    if (!row) return fieldError('reference_not_found', name, `${name}: there is no ${target.singular} ${id}.`);
    if (row[0] !== 't') return null;
    return fieldError('reference_inactive', name, `${name}: the ${target.singular} ${id} takes no new references.`);
  },
});

const selectCheck = ({ name }: Field, attribute: number, id: number, { tenant }: Transaction): Check => ({
  statement: bind(choiceTemplate(), [String(tenant.id), String(id), String(attribute)]),
  judge: row => {
    if (!row) return fieldError('not_in_collection', name, `${name}: the collection has no value ${id}.`);
    return row[0] === 't' ? fieldError('reference_inactive', name, `${name}: the value ${id} is deleted.`) : null;
  },
});

/** Whether the record is inactive; no row if it does not exist. Locks it against removal until the transaction ends. */
const stateTemplate = ({ table, key, inactive }: Resource) =>
  template(`state|${table}`, () =>
    compiler
      .selectFrom(`${table} as r`)
      .select(
        inactive
          ? sql`${sql.id('r', inactive.field)} = ${sql.lit(inactive.value)}`.as('inactive')
          : sql`false`.as('inactive'),
      )
      .where(sql.id('r', key), '=', sql`${new Slot(1)}::bigint`)
      .forKeyShare()
      .compile(),
  );

/** Whether a value, or the collection that the attribute chooses from, is deleted; no row if the collection has no such value. */
const choiceTemplate = () =>
  template('choice', () =>
    compiler
      .selectFrom('attributes as a')
      .innerJoin('collections as c', 'c.id', 'a.collection_id')
      .innerJoin('collection_values as v', 'v.collection_id', 'a.collection_id')
      .select(sql`v.deleted or c.deleted`.as('inactive'))
      .where('v.id', '=', sql`${new Slot(1)}::bigint`)
      .where('a.id', '=', sql`${new Slot(2)}::bigint`)
      .compile(),
  );
