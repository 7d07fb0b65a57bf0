import { cachedBy } from '../cached.ts';
import type { Json } from '../json/value.ts';
import { type Access, canRead, isAllowed, isRestricted } from './access.ts';
import { completeFields, type FieldSet, type Fields, type Restriction } from './fields.ts';
import { codesSaidAs } from './findings.ts';
import { isShown, maskFor, seenParts } from './hidden.ts';
import { concealing } from './marks.ts';
import { masked, withoutHidden } from './mask.ts';
import { modules as allModules } from './modules.ts';
import { referencesOf } from './references.ts';
import type { Field, Module, Relation, Resource } from './resource.ts';
import type { ConcealedEntries } from './withheld.ts';

const viewsOf = cachedBy((_: Fields) => new Map<string, Fields>());

/**
 * Returns the fields as they exist for an API user.
 * Without those of hidden categories, and with marks on the resources that it can't read. All queries are planned and all bodies
 * checked with them, so that every way to a value passes here once. Cached, because statements and encoders are cached by field sets.
 */
export const fieldsFor = (fields: Fields, access: Viewer, resources: Readonly<Record<string, Resource>>): Fields => {
  const { id, hidden, scopes, modules } = access;
  const restricted = hidden.length + scopes.length > 0;
  if (!restricted && (modules?.size ?? allModules.length) === allModules.length) return fields;
  const known = viewsOf(fields);
  const key = JSON.stringify([restricted && id, hidden.toSorted(), scopes.toSorted(), modules && [...modules].sort()]);
  const view = known.get(key) ?? createView(fields, access, resources);
  known.set(key, view);
  return view;
};

/**
 * Returns a text of the categories of the tenant's attributes, if some are hidden from the API user.
 * Otherwise it is empty: what such a user sees does not depend on them.
 */
export const categoriesOf = (fields: Fields, { hidden }: Access): string =>
  hidden.length === 0
    ? ''
    : JSON.stringify([...(completeFields(fields).categories ?? [])].toSorted(([one], [other]) => one - other));

const createView = (fields: Fields, access: Viewer, resources: Readonly<Record<string, Resource>>): Fields => {
  const sets = new Map<Resource, FieldSet>();
  let concealed: ConcealedEntries | undefined;
  const view: Fields = {
    complete: fields,
    hidden: access.hidden,
    ...(fields.rules && { rules: fields.rules }),
    get<Name extends string>(resource: Resource<Name>) {
      const set = sets.get(resource) ?? setFor(fields.get(resource), access, all);
      sets.set(resource, set);
      return set as FieldSet<Name>;
    },
  };
  const all: All = {
    resources,
    view,
    get concealed() {
      concealed ??= concealedFrom(access, all);
      return concealed;
    },
  };
  return view;
};

/** The API user that fields are shown to, and the modules of its tenant; undefined: all. */
type Viewer = Access & { readonly id: number; readonly modules?: ReadonlySet<Module> };

/** All resources, their fields as they exist for the API user, and what is concealed from it. */
interface All {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly view: Fields;
  /** Found once, when first asked for. */
  readonly concealed: ConcealedEntries;
}

const setFor = (set: FieldSet, access: Viewer, all: All): FieldSet => {
  if (!isRestricted(access) && !set.fields.some(field => field.describesRecordsOf)) return set;
  const { readByCategory, relations } = set.resource;
  const fields = set.fields
    .filter(field => isShown(field, access.hidden))
    .map(field => (field.name === readByCategory ? withoutCategories(field, access) : shownField(field, access, all)));
  const isHidden = (name: string, { byName }: FieldSet): boolean => {
    const field = byName.get(name);
    return field !== undefined && !isShown(field, access.hidden);
  };
  const targetOf = ({ resource }: Relation) => completeFields(all.view).get(all.resources[resource] as Resource);
  const isReadable = canRead(access, set.resource);
  const restriction =
    (isReadable ? null : ownOf(set.resource, access, all)) ?? restrictionOf(set.resource, access, all);
  return {
    ...set,
    fields,
    byName: new Map(fields.map(field => [field.name, field])),
    // Records that a hidden field leads to, from either side, would tell its value.
    relations: relations.filter(
      relation => !isHidden(relation.from, set) && !isHidden(relation.to, targetOf(relation)),
    ),
    deleted: new Map([...set.deleted].filter(([, field]) => isShown(field, access.hidden))),
    complete: set,
    view: all.view,
    ...(!isReadable && { unreadable: true }),
    ...(restriction && { restriction }),
  };
};

/** Returns the field without the hidden categories among its values. */
const withoutCategories = (field: Field, { hidden }: Access): Field => ({
  ...field,
  values: field.values?.filter(value => !hidden.some(category => category === value)) ?? [],
});

/** Returns the restriction to records of visible categories, or to those that visible fields name. */
const restrictionOf = (
  { name, key, readWhereReferred, readByCategory }: Resource,
  access: Viewer,
  { resources, view }: All,
): Restriction | null => {
  if (readByCategory !== undefined && access.hidden.length > 0)
    return { column: readByCategory, hidden: access.hidden.toSorted() };
  if (!readWhereReferred) return null;
  const referring = Object.values(resources)
    .filter(resource => resource.name !== name)
    .flatMap(resource => {
      const { name: holder, table } = resource;
      return completeFields(view)
        .get(resource)
        .fields.filter(({ computed }) => !computed)
        .flatMap(field =>
          referencesOf(field).map(({ resource: target, by }) => ({
            resource: holder,
            table,
            field,
            target,
            by: by ?? key,
          })),
        )
        .filter(({ target }) => target === name)
        .map(reference => ({ ...reference, isRead: isAllowed(access, reference.resource, 'read') }));
    });
  const isReadable = ({ field, isRead }: (typeof referring)[number]): boolean =>
    isRead && isShown(field, access.hidden);
  const guards = referring.filter(holder => holder.field.guardsReading && !isReadable(holder));
  // What a hidden field referred to stays hidden when the field is deleted.
  const deleted = Object.values(resources).flatMap(resource => [
    ...completeFields(view).get(resource).deleted.values(),
  ]);
  const naming = [
    ...referring.flatMap(({ field }) => (field.guardsReading ? [] : field)),
    ...deleted.filter(({ references }) => references === name),
  ];
  const isAll = naming.every(field => isShown(field, access.hidden));
  if (isAll && guards.length === 0) return null;
  return { userId: access.id, ...readWhereReferred, holders: isAll ? null : referring.filter(isReadable), guards };
};

/** Returns the restriction to the API user's own records, where no scope is needed for these. */
const ownOf = ({ readOwn }: Resource, access: Viewer, { resources }: All): Restriction | null => {
  if (readOwn?.about === undefined) return null;
  const readable = Object.keys(resources).filter(name => isAllowed(access, name, 'read'));
  return { userId: access.id, own: readOwn.own, about: readOwn.about, values: readable };
};

/** Returns the field with what is hidden in its values; the same one if that is nothing. */
const shownField = (given: Field, access: Viewer, all: All): Field => {
  const { resources, view } = all;
  const field = withheldField(saidField(given, access), access, all);
  const { hidden } = access;
  const { namesFieldsOf, namesChange, schema } = field;
  const mask = maskFor(field, hidden, view);
  if (!mask && namesFieldsOf === undefined && !namesChange) return field;
  const setOf = (name: string): FieldSet | null => (resources[name] ? view.get(resources[name]) : null);
  const show = (value: Json, resource: string | null): Json => {
    const named = namesFieldsOf === undefined ? value : namedFields(value, setOf(resource ?? ''));
    const shown = namesChange ? shownChange(named, setOf) : named;
    return mask ? masked(mask, shown) : shown;
  };
  return {
    ...field,
    show: { ...(namesFieldsOf !== undefined && { beside: namesFieldsOf }), value: show },
    ...(mask && { mask }),
    ...(mask && schema && { schema: withoutHidden(schema, hidden) }),
  };
};

/** Returns the field with the codes that the API user does not see. */
const saidField = (field: Field, { hidden }: Access): Field => {
  const saidAs = field.namesError ? codesSaidAs(hidden) : {};
  return Object.keys(saidAs).length > 0 ? { ...field, saidAs } : field;
};

/** Returns the field with the rows whose value is withheld: they are about what is not shown. */
const withheldField = (field: Field, access: Viewer, all: All): Field => {
  const { resources } = all;
  if (!field.describesRecordsOf) return field;
  const { sent, ...tells } = field.describesRecordsOf;
  const lacks = (module: Module | null = null) => module !== null && access.modules?.has(module) === false;
  // That a module is off withholds the data, not why nothing was sent.
  const isUnreadable = (name: string) =>
    !isAllowed(access, name, 'read') || (field.name === tells.data && lacks(resources[name]?.module));
  const cases = Object.entries(sent).flatMap(([type, { resource, member, withheld }]) => {
    const unreadable = (resource === undefined ? Object.keys(resources) : [resource]).filter(isUnreadable);
    if (unreadable.length > 0) return [{ type, named: unreadable, ...(member !== undefined && { member }) }];
    if (!withheld || !access.hidden.includes(withheld.category)) return [];
    return [{ type, named: [withheld.value], member: withheld.member }];
  });
  const { marks, records, seen } = all.concealed;
  if (cases.length + marks.categories.length + marks.any.length + marks.others.length + seen.length === 0) return field;
  return { ...field, nullable: true, withheld: { ...tells, cases, marks, records, seen } };
};

/** Returns the entries of the journal that are concealed from the API user. */
const concealedFrom = (access: Viewer, all: All): ConcealedEntries => {
  const { resources } = all;
  const restricted = Object.values(resources).flatMap(resource => {
    const restriction = restrictionOf(resource, access, all);
    return restriction ? [{ resource, restriction }] : [];
  });
  const each = restricted.map(({ restriction }) => concealing(restriction));
  const categories = new Map(each.flatMap(({ categories }) => categories.map(marks => [marks.field, marks])));
  return {
    marks: {
      categories: [...categories.values()],
      any: [...new Set(each.flatMap(({ any }) => any))],
      others: each.flatMap(({ others }) => others),
    },
    records: restricted.flatMap(({ resource, restriction }) =>
      'column' in restriction && definesFields(resource, resources)
        ? [{ resource: resource.name, table: resource.table, ...restriction }]
        : [],
    ),
    seen: isRestricted(access) ? seenParts(access, resources, completeFields(all.view)) : [],
  };
};

/** Whether the records of a resource define fields of others, which have their category. */
export const definesFields = (
  { name, readByCategory }: Resource,
  resources: Readonly<Record<string, Resource>>,
): boolean => Object.values(resources).some(({ dynamic }) => dynamic === `${name}.${readByCategory}`);

/** Returns those of the items whose member `field` names a field that exists. */
const namedFields = (value: Json, set: FieldSet | null): Json =>
  Array.isArray(value) ? value.filter(({ field }) => set !== null && !set.unreadable && set.byName.has(field)) : value;

/** Returns a change with the names of the fields that exist. */
const shownChange = (value: Json, setOf: (resource: string) => FieldSet | null): Json => {
  if (typeof value !== 'object' || value === null || !('fields' in value) || !Array.isArray(value.fields)) return value;
  const set = setOf(String(value.resource));
  return { ...value, fields: value.fields.filter(name => set !== null && !set.unreadable && set.byName.has(name)) };
};
