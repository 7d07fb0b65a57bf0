import { readFileSync } from 'node:fs';
import { resources } from '../../generated/resources.ts';
import { columns } from '../../generated/tables.ts';
import { pascal } from '../../spec/words.ts';
import type { Category } from '../../src/core/resource/categories.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { operations } from '../support/operations.ts';

/** A resource that is copied, with what the document tells of its fields. */
export interface Copied {
  readonly name: string;
  readonly key: string;
  readonly dynamic: boolean;
  /** The resource whose records its listing is below, as `/collections/{id}/values`; null: `path` has all records. */
  readonly parent: string | null;
  /** The path of the listing. */
  readonly path: string;
  /** The fields whose changes the entries name. */
  readonly own: ReadonlySet<string>;
  /** The fields to be read again after changes of the resources that `x-derived-from` names. */
  readonly derived: ReadonlyMap<string, readonly string[]>;
}

const { components } = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));
const columnsOf: Readonly<Record<string, object>> = columns;

const copiedOf = ({ name, key, dynamic, singular, fields }: Resource): Copied[] => {
  const listings = operations.filter(
    operation =>
      operation.method === 'GET' && operation.resource === name && operation.verb === 'list' && !operation.alias,
  );
  const whole = listings.find(({ parent }) => !parent)?.path ?? `/${name}`;
  const isWhole = operations.some(({ method, path }) => method === 'GET' && path === whole);
  const { path, parent } = isWhole ? { path: whole, parent: undefined } : (listings[0] ?? {});
  if (path === undefined) return [];
  const schema = components.schemas[pascal(singular)] ?? components.schemas[`${pascal(singular)}WithRelations`];
  const derived = fields.flatMap(field => {
    const sources: readonly string[] | undefined = schema.properties[field.name]['x-derived-from'];
    return sources ? [[field.name, sources] as const] : [];
  });
  const read = new Map(derived);
  const own = fields.filter(field => !read.has(field.name));
  return [
    {
      name,
      key,
      dynamic: dynamic !== null,
      parent: parent?.resource ?? null,
      path,
      own: new Set(own.map(field => field.name)),
      derived: read,
    },
  ];
};

/** The resources whose changes are in the journal. */
export const copied: readonly Copied[] = (Object.values(resources) as readonly Resource[])
  .filter(({ unjournalled, called, table }) => !unjournalled && !called && Object.hasOwn(columnsOf, table))
  .flatMap(copiedOf);

/** What an API user may see: the categories that are hidden, and the scopes; none: everything. */
export interface Sight {
  readonly hidden?: readonly Category[];
  readonly scopes?: readonly string[];
}

/** Returns the resources, with the derived fields, that exist for an API user. */
export const copiedBy = ({ hidden = [], scopes = [] }: Sight): readonly Copied[] =>
  copied
    .filter(({ name }) => scopes.length === 0 || scopes.includes(`${name}:read`))
    .map(resource => {
      const { fields = [] } = (resources as Readonly<Record<string, Resource>>)[resource.name] ?? {};
      const isHidden = (name: string): boolean =>
        fields.some(field => field.name === name && field.sensitive !== undefined && hidden.includes(field.sensitive));
      return { ...resource, derived: new Map([...resource.derived].filter(([name]) => !isHidden(name))) };
    });
