import type { Json } from '../json/value.ts';
import type { Category } from './categories.ts';

/** The keyword of a JSON Schema with the category of a sensitive member. */
export const sensitiveKeyword = 'x-sensitive';

/** The keyword with the values of a member that make a list's objects sensitive, with the category. */
const sensitiveValuesKeyword = 'x-sensitive-values';
/** The keyword of a member that is the number of the items of another member. */
export const countsKeyword = 'x-counts';

/** The keyword of a member that, with the others that have it, identifies the objects of a list. */
export const keyKeyword = 'x-key';

/** The members of a JSON value that are hidden from an API user. */
export interface Mask {
  readonly hidden: ReadonlySet<string>;
  /** Members, and the values with which the objects of a list are hidden. */
  readonly values: ReadonlyMap<string, ReadonlySet<Json>>;
  /** Members that are the number of the items of other members. */
  readonly counts: ReadonlyMap<string, string>;
  /** The members that identify the objects of a list; empty: none is declared. */
  readonly key: readonly string[];
  /** Whether an object of which nothing is shown is null. */
  readonly nullable: boolean;
  /** The masks of other members. */
  readonly members: ReadonlyMap<string, Mask>;
  /** The mask of the items of a list. */
  readonly items: Mask | null;
}

/** A JSON Schema, as far as masks depend on it. */
export interface MaskedSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly [sensitiveKeyword]?: Category;
  readonly [sensitiveValuesKeyword]?: Readonly<Record<string, Category>>;
  readonly [countsKeyword]?: string;
  readonly [keyKeyword]?: true;
  readonly properties?: Readonly<Record<string, MaskedSchema>>;
  readonly items?: MaskedSchema;
  readonly anyOf?: readonly MaskedSchema[];
  readonly oneOf?: readonly MaskedSchema[];
  readonly allOf?: readonly MaskedSchema[];
}

/** Returns the schema that a reference leads to. */
type ResolveReference = (reference: string) => MaskedSchema | undefined;

type MaskedMembers = Readonly<Record<string, unknown>>;

/**
 * Returns the mask of values with the schema; null: nothing of them is hidden.
 * See docs/decisions.md, "Sensitive fields".
 * @throws Error if the schema is recursive: a mask has the depth of its schema
 */
export const maskOf = (
  schema: MaskedSchema,
  hidden: readonly Category[],
  resolve: ResolveReference = () => undefined,
  within: readonly string[] = [],
): Mask | null => {
  if (schema.$ref !== undefined) {
    if (within.includes(schema.$ref)) throw new Error(`${schema.$ref} is recursive and can't be masked.`);
    const target = resolve(schema.$ref);
    return target ? maskOf(target, hidden, resolve, [...within, schema.$ref]) : null;
  }
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  const all = Object.entries(properties);
  const own = {
    hidden: new Set(all.filter(([, member]) => isHidden(member, hidden)).map(([name]) => name)),
    values: new Map(all.flatMap(([name, member]) => hiddenValues(name, member, hidden))),
    counts: new Map(all.flatMap(([name, { [countsKeyword]: list }]) => (list === undefined ? [] : [[name, list]]))),
    key: all.filter(([, member]) => member[keyKeyword]).map(([name]) => name),
    members: new Map(
      all.flatMap(([name, member]) => {
        const mask = maskOf(member, hidden, resolve, within);
        return mask ? [[name, mask]] : [];
      }),
    ),
    nullable: false,
    items: items ? maskOf(items, hidden, resolve, within) : null,
  };
  const alternatives = [...anyOf, ...oneOf, ...allOf].map(part => maskOf(part, hidden, resolve, within));
  const mask = [own, ...alternatives].reduce(union, null);
  return mask && { ...mask, nullable: mask.nullable || anyOf.some(({ type }) => type === 'null') };
};

/** Returns the mask of lists that hides the objects whose member has one of the values. */
export const listMask = (member: string, values: readonly Json[]): Mask => ({
  ...nothing,
  items: { ...nothing, values: new Map([[member, new Set(values)]]) },
});

const nothing: Mask = {
  hidden: new Set(),
  values: new Map(),
  counts: new Map(),
  key: [],
  nullable: false,
  members: new Map(),
  items: null,
};

/** Returns the value without what is hidden. */
export const masked = (mask: Mask, value: Json): Json => {
  if (Array.isArray(value)) {
    const { items } = mask;
    return items ? value.filter(item => isListed(items, item)).map(item => masked(items, item)) : value;
  }
  if (!isObject(value)) return value;
  const shown: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = mask.members.get(name);
    if (!mask.hidden.has(name)) shown[name] = inner ? masked(inner, member) : member;
  }
  for (const [name, list] of mask.counts) {
    const items = shown[list];
    if (Object.hasOwn(shown, name) && Array.isArray(items)) shown[name] = items.length;
  }
  return mask.nullable && isEmpty(shown) && !isEmpty(value) ? null : shown;
};

/** Whether an object of a list is shown at all. */
export const isListed = (mask: Mask, item: Json): boolean => hiddenBy(mask, item) === undefined;

/** Returns the member that hides an object of a list; undefined: it is shown. */
const hiddenBy = ({ values }: Mask, item: Json): string | undefined =>
  [...values].find(([name, hidden]) => isObject(item) && hidden.has(item[name] ?? null))?.[0];

/** Returns the paths of hidden members, and of those that hide an object of a list, with the prefix. */
export const hiddenPaths = (mask: Mask, value: Json, prefix: string): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const { items } = mask;
    return items
      ? value.flatMap((item, index) => {
          const hiding = hiddenBy(items, item);
          const path = `${prefix}${index}.`;
          return hiding === undefined ? hiddenPaths(items, item, path) : [path + hiding];
        })
      : [];
  }
  return Object.entries(value).flatMap(([name, member]) => {
    if (mask.hidden.has(name)) return [prefix + name];
    const inner = mask.members.get(name);
    return inner ? hiddenPaths(inner, member, `${prefix}${name}.`) : [];
  });
};

/** Returns the schema without the hidden members, which are then unknown. */
export const withoutHidden = <Schema extends object>(schema: Schema, hidden: readonly Category[]): Schema => {
  const { properties, required, ...rest } = schema as { properties?: MaskedMembers; required?: readonly string[] };
  const parts = Object.entries(rest).map(([key, part]) => [key, partOf(part, hidden)] as const);
  const isShown = (name: string): boolean => !isHidden(properties?.[name] as MaskedSchema | undefined, hidden);
  const shown = Object.entries(properties ?? {}).filter(([name]) => isShown(name));
  return {
    ...Object.fromEntries(parts),
    ...(properties && { properties: Object.fromEntries(shown.map(([name, part]) => [name, partOf(part, hidden)])) }),
    ...(required && { required: required.filter(isShown) }),
  } as Schema;
};

const partOf = (part: unknown, hidden: readonly Category[]): unknown => {
  if (Array.isArray(part)) return part.map(item => partOf(item, hidden));
  return typeof part === 'object' && part !== null ? withoutHidden(part, hidden) : part;
};

const isHidden = (schema: MaskedSchema | undefined, hidden: readonly Category[]): boolean => {
  const category = schema?.[sensitiveKeyword];
  return category !== undefined && hidden.includes(category);
};

const hiddenValues = (
  name: string,
  { [sensitiveValuesKeyword]: values = {} }: MaskedSchema,
  hidden: readonly Category[],
): [string, ReadonlySet<Json>][] => {
  const found = Object.keys(values).filter(value => hidden.includes(values[value] as Category));
  return found.length > 0 ? [[name, new Set<Json>(found)]] : [];
};

/** Returns a mask that hides what one of the two hides. */
export const union = (one: Mask | null, other: Mask | null): Mask | null => {
  if (!other || (other.hidden.size + other.values.size + other.members.size === 0 && !other.items)) return one;
  if (!one) return other;
  const names = [...one.members.keys(), ...other.members.keys()];
  const members = names.flatMap(name => {
    const both = union(one.members.get(name) ?? null, other.members.get(name) ?? null);
    return both ? [[name, both] as const] : [];
  });
  return {
    hidden: new Set([...one.hidden, ...other.hidden]),
    values: new Map([...one.values, ...other.values]),
    counts: new Map([...one.counts, ...other.counts]),
    key: [...new Set([...one.key, ...other.key])],
    nullable: one.nullable || other.nullable,
    members: new Map(members),
    items: union(one.items, other.items),
  };
};

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** Whether a JSON value is an object. */
export const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
