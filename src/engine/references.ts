import { type SqlBool, sql } from 'kysely';
import { selects } from '../attributes/attributes.ts';
import type { Json } from '../core/call/reply.ts';
import { type FieldError, fieldError } from '../core/errors.ts';
import type { FieldSet } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import type { Result, Row, Statement, Transaction } from '../db/database.ts';
import { bind, compiler, Slot, template } from '../query/statement.ts';
import type { Values } from './body.ts';

/** What one field's value refers to: how that is looked up, and what is wrong with what was found. */
interface Lookup {
  readonly statement: Statement;
  readonly judge: (rows: readonly Row[]) => readonly FieldError[];
}

/**
 * Checks that all that the values refer to exists in the tenant and takes new references; one trip for all.
 * @param before the record as it is: what its lists refer to already are no new references
 */
export const checkReferences = async (
  set: FieldSet,
  values: Values,
  resources: Readonly<Record<string, Resource>>,
  transaction: Transaction,
  before: Values = {},
): Promise<FieldError[]> => {
  const tenantId = transaction.tenant.id;
  const lookups = set.fields.flatMap(field => {
    const value = values[field.name] ?? null;
    if (value === null) return [];
    const had = before[field.name] ?? null;
    return [...lookUpRecord(field, value, resources, tenantId), ...lookUpChoices(field, value, had, tenantId)];
  });
  if (lookups.length === 0) return [];
  const results = await transaction.send(...lookups.map(({ statement }) => statement));
  return lookups.flatMap(({ judge }, index) => judge((results[index] as Result).rows));
};

const lookUpRecord = (
  { name, references = '' }: Field,
  id: Json,
  resources: Readonly<Record<string, Resource>>,
  tenantId: number,
): Lookup[] => {
  const target = resources[references];
  if (!target || typeof id !== 'number') return [];
  const judge: Lookup['judge'] = ([row]) => {
    if (!row) return [fieldError('reference_not_found', name, `${name}: there is no ${target.singular} ${id}.`)];
    if (row[0] !== 't') return [];
    return [fieldError('reference_inactive', name, `${name}: the ${target.singular} ${id} takes no new references.`)];
  };
  return [{ statement: bind(stateTemplate(target), [String(tenantId), String(id)]), judge }];
};

const lookUpChoices = ({ name, attribute }: Field, value: Json, before: Json, tenantId: number): Lookup[] => {
  const kept = new Set([before].flat());
  const ids = [value].flat().filter(id => !kept.has(id));
  if (!attribute || !selects.has(attribute.type) || ids.length === 0) return [];
  const judge: Lookup['judge'] = rows => {
    const deleted = new Map(rows.map(([id, deleted]) => [Number(id), deleted === 't']));
    const unknown = ids.filter(id => !deleted.has(Number(id)));
    if (unknown.length > 0)
      return [fieldError('not_in_collection', name, `${name}: its collection has no value ${unknown.join(', ')}.`)];
    const gone = ids.filter(id => deleted.get(Number(id)));
    if (gone.length === 0) return [];
    return [fieldError('reference_inactive', name, `${name}: the value ${gone.join(', ')} is deleted.`)];
  };
  return [{ statement: bind(choiceTemplate(), [String(tenantId), String(attribute.id), `{${ids.join(',')}}`]), judge }];
};

/** Which of the ids are values of the collection that the attribute chooses from, and whether they, or all of it, are deleted. */
const choiceTemplate = () =>
  template('choices', () =>
    compiler
      .selectFrom('attributes as a')
      .innerJoin('collections as c', 'c.id', 'a.collection_id')
      .innerJoin('collection_values as v', 'v.collection_id', 'a.collection_id')
      .select([sql`v.id`.as('id'), sql`v.deleted or c.deleted`.as('inactive')])
      .where('a.id', '=', sql`${new Slot(1)}::bigint`)
      .where(sql<SqlBool>`v.id = any(${new Slot(2)}::bigint[])`)
      .compile(),
  );

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
