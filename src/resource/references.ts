import { sql } from 'kysely';
import type { Result, Transaction } from '../db/database.ts';
import { type FieldError, fieldError } from '../errors.ts';
import { bind, compiler, Slot, template } from '../query/statement.ts';
import type { Values } from './body.ts';
import type { FieldSet } from './fields.ts';
import type { Resource } from './resource.ts';

/** Checks that every record that the values refer to exists in the tenant and takes new references; one trip for all. */
export const checkReferences = async (
  set: FieldSet,
  values: Values,
  resources: Readonly<Record<string, Resource>>,
  transaction: Transaction,
): Promise<FieldError[]> => {
  const references = set.fields.flatMap(({ name, references }) => {
    const id = values[name];
    return references && typeof id === 'number' ? [{ name, id, target: resources[references] as Resource }] : [];
  });
  if (references.length === 0) return [];
  const results = await transaction.send(
    ...references.map(({ target, id }) => bind(stateTemplate(target), [String(transaction.tenant.id), String(id)])),
  );
  return references.flatMap(({ name, id, target }, index) => {
    const [row] = (results[index] as Result).rows;
    if (!row) return [fieldError('reference_not_found', name, `${name}: there is no ${target.singular} ${id}.`)];
    if (row[0] !== 't') return [];
    return [fieldError('reference_inactive', name, `${name}: the ${target.singular} ${id} takes no new references.`)];
  });
};

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
