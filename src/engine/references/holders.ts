import { type SqlBool, sql } from 'kysely';
import type { Call } from '../../core/call/call.ts';
import { ApiError } from '../../core/errors.ts';
import { completeSet } from '../../core/resource/fields.ts';
import { hasKey, type Reference, referencesOf } from '../../core/resource/references.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import type { Transaction } from '../../db/database.ts';
import { bind, column, columnTypes, compiler, place, Slot, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';

/** A field whose references to a resource have no foreign key. */
interface Holder {
  readonly table: string;
  readonly field: Field;
  readonly reference: Reference;
  /** The member of the field's object that refers to it. */
  readonly member?: string;
}

/**
 * Checks that no record refers to the given one by other means than a foreign key.
 * That is by a list, by another field than its id, or by a field of the tenant. See docs/decisions.md, "Deletion".
 * @throws ApiError still_referenced (409)
 */
export const requireUnreferenced = async (
  resource: Resource,
  record: Values,
  { resources, fields }: Pick<Call, 'resources' | 'fields'>,
  transaction: Transaction,
): Promise<void> => {
  const holders = Object.values(resources).flatMap(holding =>
    completeSet(fields.get(holding)).fields.flatMap(field => holdersOf(holding.table, field, resource)),
  );
  if (holders.length === 0) return;
  const tenantId = String(transaction.tenant.id);
  const found = await transaction.send(
    ...holders.map(holder => {
      const id = String(record[holder.reference.by ?? resource.key]);
      return bind(holderTemplate(holder), [tenantId, holder.field.type === 'json' ? `[${id}]` : id]);
    }),
  );
  if (found.some(({ rows }) => rows.length > 0)) throw new ApiError('still_referenced');
};

const holdersOf = (table: string, field: Field, { name }: Resource): Holder[] =>
  field.computed
    ? []
    : referencesOf(field)
        .filter(reference => reference.resource === name && !hasKey(field, reference))
        .map((reference): Holder => ({ table, field, reference }))
        .concat(
          Object.entries(field.memberReferences ?? {})
            .filter(([, resource]) => resource === name)
            .map(([member, resource]) => ({ table, field, reference: { resource, by: null, when: null }, member })),
        );

/** Reads one row if any record has that value, or a list with it. */
const holderTemplate = ({ table, field, reference: { when }, member }: Holder) =>
  template(`holder|${table}|${place(field)}|${member}|${when?.value}`, () => {
    const { storage, type } = field;
    const value = sql`${new Slot(1)}::${columnTypes[type]}`;
    const held = member === undefined ? column(field) : sql`${column(field)} -> ${sql.lit(member)}`;
    const query = compiler
      .selectFrom(storage ? `${storage.table} as d` : `${table} as r`)
      .select(sql`1`.as('held'))
      .where(sql<SqlBool>`${held} ${sql.raw(type === 'json' ? '@>' : '=')} ${value}`)
      .limit(1);
    return (when ? query.where(sql<SqlBool>`${sql.id('r', when.field)} = ${sql.lit(when.value)}`) : query).compile();
  });
