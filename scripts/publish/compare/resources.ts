import type { Alias, Field, Relation, Resource } from '../../../src/core/resource/resource.ts';
import { type ApiChange, allows, breaks, compareMembers } from './finding.ts';

/** What the table of resources promises to clients beyond the document: sort orders, default values. */
export interface PublicResource {
  readonly key: string;
  readonly sort: string | null;
  readonly keepsDeleted: boolean;
  readonly dynamic: boolean;
  readonly fields: Readonly<Record<string, PublicField>>;
  readonly relations: Readonly<Record<string, Omit<Relation, 'name' | 'short'>>>;
  readonly aliases: Readonly<Record<string, Alias['parameters']>>;
}

interface PublicField {
  readonly sorts: boolean;
  readonly default: Field['default'] | null;
}

export type PublicResources = Readonly<Record<string, PublicResource>>;

/** Returns what the table of resources promises to clients. */
export const publicResources = (resources: Readonly<Record<string, Resource>>): PublicResources =>
  Object.fromEntries(
    Object.entries(resources).map(([name, resource]) => [
      name,
      {
        key: resource.key,
        sort: resource.sort ?? null,
        keepsDeleted: resource.keepsDeleted,
        dynamic: resource.dynamic !== null,
        fields: Object.fromEntries(
          resource.fields.map(({ name, type, default: preset }) => [
            name,
            { sorts: type !== 'json', default: preset ?? null },
          ]),
        ),
        relations: Object.fromEntries(
          resource.relations.flatMap(({ name, short, ...relation }) => [
            [name, relation],
            [short, relation],
          ]),
        ),
        aliases: Object.fromEntries(resource.aliases.map(({ name, parameters }) => [name, parameters])),
      },
    ]),
  );

/** Returns the differences of two tables of resources that a client can notice. */
export const compareResources = (old: PublicResources, now: PublicResources): readonly ApiChange[] =>
  compareMembers(old, now, {
    both: compareResource,
    removed: name => [breaks(`resource ${name}`, 'has been removed')],
    added: name => [allows(`resource ${name}`, 'is new')],
  });

const compareResource = (old: PublicResource, now: PublicResource, name: string): readonly ApiChange[] => {
  const where = `resource ${name}`;
  return [
    ...(old.key !== now.key ? [breaks(where, `records are named by ${now.key} instead of ${old.key}`)] : []),
    ...(old.sort !== now.sort ? [breaks(where, `default order ${old.sort ?? old.key} → ${now.sort ?? now.key}`)] : []),
    ...(old.keepsDeleted !== now.keepsDeleted
      ? [breaks(where, now.keepsDeleted ? 'DELETE keeps the record' : 'DELETE removes the record')]
      : []),
    ...(old.dynamic && !now.dynamic ? [breaks(where, 'has no fields of tenants any more')] : []),
    ...compareMembers(old.fields, now.fields, {
      both: (field, other, fieldName) => compareField(field, other, `${where} ${fieldName}`),
      removed: field => [breaks(`${where} ${field}`, 'cannot be selected, filtered or sorted by any more')],
      added: field => [allows(`${where} ${field}`, 'is new')],
    }),
    ...compareMembers(old.relations, now.relations, {
      both: (relation, other, relationName) =>
        isSame(relation, other) ? [] : [breaks(`${where} ${relationName}`, 'embeds other records')],
      removed: relation => [breaks(`${where} ${relation}`, 'cannot be embedded any more')],
      added: relation => [allows(`${where} ${relation}`, 'can be embedded')],
    }),
    ...compareMembers(old.aliases, now.aliases, {
      both: (alias, other, aliasName) =>
        isSame(alias, other) ? [] : [breaks(`${where} ${aliasName}`, 'lists other records')],
      removed: alias => [breaks(`${where} ${alias}`, 'has been removed')],
      added: alias => [allows(`${where} ${alias}`, 'is new')],
    }),
  ];
};

const compareField = (old: PublicField, now: PublicField, where: string): readonly ApiChange[] => [
  ...(old.sorts && !now.sorts ? [breaks(where, 'cannot be sorted by any more')] : []),
  ...(isSame(old.default, now.default)
    ? []
    : [breaks(where, `default ${JSON.stringify(old.default)} → ${JSON.stringify(now.default)}`)]),
];

const isSame = (old: unknown, now: unknown): boolean => JSON.stringify(old) === JSON.stringify(now);
