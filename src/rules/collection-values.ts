import { fieldError } from '../errors.ts';
import type { Rules } from '../resource/rules.ts';

/** A value stands under values of its own collection, and under none that stands under it. */
export const collectionValues: Rules = {
  check: async ({ before, after }, transaction) => {
    if (!after || after.parent_id === null || after.parent_id === undefined) return [];
    if (before && before.parent_id === after.parent_id) return [];
    let id: number | null = Number(after.parent_id);
    while (id !== null) {
      if (id === after.id)
        return [fieldError('not_in_collection', 'parent_id', 'parent_id: a value cannot stand under itself.')];
      const parent: { collection_id: number; parent_id: number | null } = await transaction.kysely
        .selectFrom('collection_values')
        .select(['collection_id', 'parent_id'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (Number(parent.collection_id) !== after.collection_id)
        return [fieldError('not_in_collection', 'parent_id', 'parent_id: that value is of another collection.')];
      id = parent.parent_id === null ? null : Number(parent.parent_id);
    }
    return [];
  },
  follow: async () => {},
};
