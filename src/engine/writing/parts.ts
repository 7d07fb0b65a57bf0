import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../core/call/reply.ts';
import { type Category, categories } from '../../core/resource/categories.ts';
import type { Fields } from '../../core/resource/fields.ts';
import { maskFor } from '../../core/resource/hidden.ts';
import { masked } from '../../core/resource/mask.ts';
import type { Field } from '../../core/resource/resource.ts';
import type { Values } from '../body.ts';

/**
 * Returns how the journal names a field of whose JSON value only sensitive parts differ.
 * By its name with each of their categories (`data:health`); null: something differs that has no category.
 */
export const sensitiveParts = (
  field: Field,
  before: Values,
  after: Values,
  fields: Fields,
): readonly string[] | null => {
  const { name, sensitiveParts: declared, namesAttributes } = field;
  if (!declared && !namesAttributes) return null;
  const differs = (hidden: readonly Category[]): boolean => {
    const mask = maskFor(field, hidden, fields);
    const shown = (value: Json = null): Json => (mask ? masked(mask, value) : value);
    return !isDeepStrictEqual(shown(before[name]), shown(after[name]));
  };
  const found = differs(categories) ? [] : categories.filter(own => differs(categories.filter(each => each !== own)));
  return found.length > 0 ? found.map(category => `${name}:${category}`) : null;
};
