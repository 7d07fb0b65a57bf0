import { ApiError, type FieldError, fieldError } from '../errors.ts';
import type { Rules } from '../resource/rules.ts';

/** Types whose values come from a collection. */
const selects = new Set(['select', 'multi_select', 'level_select']);

/** Selects have a collection, other attributes none; predefined attributes stay. */
export const attributes: Rules = {
  check: async ({ before, after }) => {
    if (before && !after && before.deletable === 0) {
      throw new ApiError('forbidden', { message: 'A predefined attribute cannot be deleted.' });
    }
    if (before || !after) return [];
    return collectionErrors(String(after.type), after.collection_id ?? null);
  },
  follow: async () => {},
};

const collectionErrors = (type: string, collectionId: unknown): readonly FieldError[] => {
  if (selects.has(type) && collectionId === null)
    return [
      fieldError('not_empty', 'collection_id', `collection_id: an attribute of type ${type} needs a collection.`),
    ];
  if (!selects.has(type) && collectionId !== null)
    return [
      fieldError(
        'not_in_enumeration',
        'collection_id',
        `collection_id: an attribute of type ${type} has no collection.`,
      ),
    ];
  return [];
};
