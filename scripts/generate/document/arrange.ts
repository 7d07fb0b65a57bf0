import type { OpenAPI3Document } from '@typespec/openapi3';

type TaggedPath = Readonly<Record<string, { readonly tags?: readonly string[] }>>;
type NamedComponents = Readonly<Record<string, object>>;

const methods = ['get', 'post', 'put', 'delete'];

/**
 * Sorts the document, so that it does not depend on how the spec is divided into files.
 * Paths in the order of the tags and then segment by segment, placeholders last; operations by method; components
 * by name.
 */
export const arrangeDocument = (document: OpenAPI3Document): OpenAPI3Document => {
  const { tags = [], paths, components = {} } = document;
  const order = new Map(tags.map(({ name }, index) => [name, index]));
  const placeOf = (item: TaggedPath): number => order.get(tagOf(item)) ?? tags.length;
  const arranged = {
    ...document,
    paths: Object.fromEntries(
      Object.entries(paths as Readonly<Record<string, TaggedPath>>)
        .toSorted(([a, one], [b, other]) => placeOf(one) - placeOf(other) || comparePaths(a, b))
        .map(([path, item]) => [path, arrangeItem(item)]),
    ),
    components: Object.fromEntries(
      Object.entries(components as Readonly<Record<string, NamedComponents>>).map(([kind, named]) => [
        kind,
        byName(named),
      ]),
    ),
  };
  return arranged as OpenAPI3Document;
};

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const tagOf = (item: TaggedPath): string => Object.values(item)[0]?.tags?.[0] ?? '';

/** Compares paths: literals come before placeholders, paths before longer ones that start with them. */
const comparePaths = (a: string, b: string): number => {
  const [one, other] = [a, b].map(path => path.replaceAll('{', '~').split('/')) as [string[], string[]];
  const differing = one.findIndex((segment, index) => segment !== other[index]);
  return differing < 0 ? one.length - other.length : compare(one[differing] ?? '', other[differing] ?? '');
};

const arrangeItem = (item: TaggedPath): TaggedPath =>
  Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => methods.indexOf(a) - methods.indexOf(b)));

const byName = (named: NamedComponents): NamedComponents =>
  Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => compare(a, b)));
