import { renewStatement } from '../../attributes/registration.ts';
import { ApiError, type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/**
 * Values that are not editable, or whose collection is not, cannot be changed.
 * A value's parent is in the same collection and not among its descendants.
 */
export const collectionValues: Rules = {
  check: async ({ before, after }, transaction) => {
    await requireEditable(before ?? after ?? {}, before, transaction);
    const parent = after?.parent_id ?? null;
    return {
      errors: after && parent !== null && parent !== before?.parent_id ? await placeErrors(after, transaction) : [],
    };
  },
  follow: async (_, transaction) => {
    await transaction.send(renewStatement(transaction.tenant.id));
  },
};

/**
 * Locks the collection as well: two concurrent moves could otherwise create a cycle.
 * @throws ApiError forbidden (403)
 */
const requireEditable = async (value: Values, before: Values | null, { kysely }: Transaction): Promise<void> => {
  if (before?.editable === 0) throw new ApiError('forbidden', { message: 'This value cannot be changed.' });
  const collection = await kysely
    .selectFrom('collections')
    .select('editable')
    .where('id', '=', Number(value.collection_id))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (collection?.editable === false)
    throw new ApiError('forbidden', { message: 'The values of this collection cannot be changed.' });
};

const placeErrors = async (after: Values, { kysely }: Transaction): Promise<readonly FieldError[]> => {
  let id: number | null = Number(after.parent_id);
  while (id !== null) {
    if (id === after.id)
      return [fieldError('not_in_collection', 'parent_id', 'parent_id: a value cannot stand under itself.')];
    const parent: { collection_id: number; parent_id: number | null } = await kysely
      .selectFrom('collection_values')
      .select(['collection_id', 'parent_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (Number(parent.collection_id) !== after.collection_id)
      return [fieldError('not_in_collection', 'parent_id', 'parent_id: that value is of another collection.')];
    id = parent.parent_id === null ? null : Number(parent.parent_id);
  }
  return [];
};
