import { type Access, canRead } from './access.ts';
import { type Category, categories } from './categories.ts';
import { completeFields, type Fields } from './fields.ts';
import { listMask, type Mask, maskOf, union } from './mask.ts';
import type { Field, Resource } from './resource.ts';
import { ALL, findSources } from './sources.ts';
import type { SeenParts } from './withheld.ts';

/** Whether a field exists for an API user from whom the categories are hidden. */
export const isShown = ({ sensitive }: Pick<Field, 'sensitive'>, hidden: readonly Category[]): boolean =>
  sensitive === undefined || !hidden.includes(sensitive);

/** Returns the mask of a field's values for hidden categories; null: nothing of them is hidden. */
export const maskFor = (
  { sensitiveParts = {}, namesAttributes }: Field,
  hidden: readonly Category[],
  fields: Fields,
): Mask | null => union(maskOf(sensitiveParts, hidden), namesAttributes ? attributesMask(fields, hidden) : null);

/** Returns the mask of lists whose items name attributes. */
const attributesMask = (fields: Fields, hidden: readonly Category[]): Mask | null => {
  const all = [...(completeFields(fields).categories ?? [])];
  const ids = all.filter(([, category]) => hidden.includes(category)).map(([id]) => id);
  return ids.length > 0 ? listMask('attribute_id', ids) : null;
};

/**
 * Returns the parts of records of which an API user sees a change, as the journal names them.
 * What is shown, and what that derives from; of readable resources of which something is hidden.
 */
export const seenParts = (
  access: Access,
  resources: Readonly<Record<string, Resource>>,
  complete: Fields,
): readonly SeenParts[] => {
  const { hidden } = access;
  const visible = categories.filter(category => !hidden.includes(category));
  const shownOf = (resource: Resource): readonly Field[] | null =>
    canRead(access, resource) ? complete.get(resource).fields.filter(field => isShown(field, hidden)) : null;
  const sources = findSources(resources, shownOf);
  return Object.values(resources).flatMap(resource => {
    const [shown, moved] = [shownOf(resource), sources.get(resource.name) ?? new Set<string>()];
    const { fields, deleted } = complete.get(resource);
    const divided = fields.filter(field => maskFor(field, categories, complete));
    const isWhole = shown?.length === fields.length && deleted.size === 0;
    if (!shown || moved.has(ALL) || (isWhole && !divided.some(field => maskFor(field, hidden, complete)))) return [];
    const names = new Set([...shown.map(({ name }) => name), ...moved]);
    const parts = divided.flatMap(({ name }) =>
      (moved.has(name) ? categories : names.has(name) ? visible : []).map(category => `${name}:${category}`),
    );
    return { resource: resource.name, parts: [...names, ...parts] };
  });
};
