import { type SqlBool, sql } from 'kysely';
import type { Call } from '../../core/call/call.ts';
import type { Json } from '../../core/call/reply.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import type { Row, Statement } from '../../db/database.ts';
import { bind, compiler, Slot, type StatementTemplate, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';
import { type Given, readGiven } from './given.ts';
import { type Related, relatedIn } from './names.ts';

/** What a body says under the name of a to-one relation, its external id looked up. */
export interface NamedRecord extends Related {
  readonly given:
    | { readonly kind: 'reference'; readonly id: number | null }
    | { readonly kind: 'values'; readonly values: Values };
  /** Whether the field has the reference from here. */
  readonly assigned: boolean;
}

/** A body without the names of relations, whose references stand in fields that it does not have. */
export interface ReadBody {
  readonly body: Values;
  readonly named: readonly NamedRecord[];
  readonly errors: readonly FieldError[];
  /** The fields whose references are wrong. */
  readonly unresolved: ReadonlySet<string>;
}

/** What a body says under relations: the statements that look up external ids, and what rows mean. */
export interface RelatedBody {
  readonly statements: readonly Statement[];
  resolve(results: readonly (readonly Row[])[]): ReadBody;
}

/**
 * Returns what the body of a resource says under the names of relations.
 * @param sets whether a reference or null may stand in a field of the resource
 */
export const readRelated = (
  resource: Resource,
  body: Values,
  { fields, resources, principal }: Pick<Call, 'fields' | 'resources' | 'principal'>,
  sets: (field: Field) => boolean,
): RelatedBody => {
  const members = membersOf(resource, body, { fields, resources });
  if (members.length === 0) return { statements: [], resolve: () => ({ body, ...nothing }) };
  const sought = members.flatMap(({ related: { target }, given }) => (isExternal(given) ? [{ target, given }] : []));
  return {
    statements: sought.map(({ target, given: { externalId } }) =>
      bind(idTemplate(target), [String(principal.tenant.id), externalId]),
    ),
    resolve: results => {
      const ids = new Map<Given, string | null | undefined>(
        sought.map(({ given }, index) => [given, results[index]?.[0]?.[0]]),
      );
      const own: Record<string, Json> = { ...body };
      const named: NamedRecord[] = [];
      const errors: FieldError[] = [];
      const unresolved = new Set<string>();
      for (const { related } of members) delete own[related.member];
      for (const { related, given } of members) {
        const { field } = related;
        const read = given && !('code' in given) ? identified(related, given, ids) : given;
        if (read === null) continue;
        if ('code' in read) {
          errors.push(read);
          if (field) unresolved.add(field.name);
        } else {
          const assigned = read.alone && field !== null && sets(field) && !Object.hasOwn(own, field.name);
          if (assigned && read.given.kind === 'reference') own[field.name] = read.given.id;
          named.push({ ...related, given: read.given, assigned });
        }
      }
      return { body: own, named, errors, unresolved };
    },
  };
};

const nothing = { named: [], errors: [], unresolved: new Set<string>() } satisfies Omit<ReadBody, 'body'>;

interface GivenMember {
  readonly related: Related;
  readonly given: Given | FieldError | null;
}

const membersOf = (
  resource: Resource,
  body: Values,
  { fields, resources }: Pick<Call, 'fields' | 'resources'>,
): readonly GivenMember[] => {
  const set = fields.get(resource);
  const names = relatedIn(set, resources);
  return Object.keys(body).flatMap((name): GivenMember[] => {
    const related = names.get(name);
    const value = body[name] as Json;
    // A field with the name of a reference has values of its own, none of which is an object.
    const isField = set.byName.has(name) && (typeof value !== 'object' || value === null);
    return related && !isField ? [{ related, given: readGiven(related, value, fields.get(related.target)) }] : [];
  });
};

type External = Extract<Given, { readonly kind: 'external' }>;

const isExternal = (given: GivenMember['given']): given is External =>
  given !== null && !('code' in given) && given.kind === 'external';

/** Returns the reference with its id; `alone`: it can be written. */
const identified = (
  { member, target }: Related,
  given: Given,
  ids: ReadonlyMap<Given, string | null | undefined>,
): (Pick<NamedRecord, 'given'> & { readonly alone: boolean }) | FieldError => {
  switch (given.kind) {
    case 'null':
      return { given: { kind: 'reference', id: null }, alone: true };
    case 'id':
      return { given: { kind: 'reference', id: given.id }, alone: false };
    case 'values':
      return { given, alone: false };
    case 'external': {
      const id = ids.get(given);
      if (typeof id === 'string') return { given: { kind: 'reference', id: Number(id) }, alone: given.alone };
      const place = `${member}.${target.externalKey}`;
      const text = given.externalId.slice(0, 190);
      return fieldError(
        'reference_not_found',
        member,
        `${place}: there is no ${target.singular} with the value ${text}.`,
      );
    }
  }
};

/** Reads the id of the record with an external id. @throws Error if the resource has none */
export const idTemplate = ({ table, key, externalKey }: Resource): StatementTemplate => {
  if (externalKey === undefined) throw new Error(`${table} has no external ids.`);
  const external = sql.id('r', externalKey);
  const query = () => compiler.selectFrom(`${table} as r`).select(sql`${sql.id('r', key)}`.as('id'));
  return template(
    `by-external-id|${table}`,
    () =>
      query()
        .where(sql<SqlBool>`${external} = ${new Slot(1)}::text`)
        .compile(),
    {
      compile: () =>
        query()
          .select(sql`${external}`.as('external_id'))
          .where(sql<SqlBool>`${external} = any(${new Slot(1)}::text[])`)
          .compile(),
      gives: 'keyed',
    },
  );
};
