import { selects } from '../../attributes/attributes.ts';
import type { Field } from '../../core/resource/resource.ts';

/** The collection that a field chooses from: that of its attribute, or the one with that identifier. */
export type Collection = { readonly kind: 'attribute' | 'identifier'; readonly value: string };

/** Returns the collection that a field chooses from; null: it is no select. */
export const collectionOf = ({ attribute, collection }: Field): Collection | null => {
  if (collection !== undefined) return { kind: 'identifier', value: collection };
  return attribute && selects.has(attribute.type) ? { kind: 'attribute', value: String(attribute.id) } : null;
};

/** Whether the values of a field are chosen from a collection. */
export const isSelect = (field: Field): boolean => collectionOf(field) !== null;
