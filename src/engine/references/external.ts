import { type SqlBool, sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { isClean } from '../../core/lines.ts';
import type { Tenant } from '../../core/principal.ts';
import type { FieldSet } from '../../core/resource/fields.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Row, Statement } from '../../db/database.ts';
import { bind, compiler, Slot, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';

/** A body whose references have ids. */
interface Resolved {
  readonly body: Values;
  readonly errors: readonly FieldError[];
  /** The fields whose references were not found. */
  readonly unresolved: ReadonlySet<string>;
}

/** The references that a body gives by external ids: the statements that read their ids, and what follows from the rows. */
interface ExternalReferences {
  readonly statements: readonly Statement[];
  resolve(results: readonly (readonly Row[])[]): Resolved;
}

/** A reference by external id, such as `{"client": {"external_id": "C-17"}}` for the field `client_id`. */
interface Given {
  readonly field: string;
  readonly member: string;
  readonly target: Resource;
  readonly externalId: Json;
}

/** Returns the references that the body gives by external ids. */
export const externalReferences = (
  set: Pick<FieldSet, 'fields'>,
  body: Values,
  resources: Readonly<Record<string, Resource>>,
  tenant: Pick<Tenant, 'id'>,
): ExternalReferences => {
  const given = givenIn(set, body, resources);
  const sought = given.filter(({ externalId }) => isText(externalId));
  return {
    statements: sought.map(({ target, externalId }) =>
      bind(idTemplate(target), [String(tenant.id), String(externalId)]),
    ),
    resolve: results => {
      const found = new Map(sought.map((reference, index) => [reference, results[index]?.[0]?.[0]]));
      const resolved: Record<string, Json> = { ...body };
      const errors: FieldError[] = [];
      const unresolved = new Set<string>();
      for (const reference of given) {
        delete resolved[reference.member];
        const id = found.get(reference);
        if (Object.hasOwn(body, reference.field)) errors.push(bothGiven(reference));
        else if (typeof id === 'string') resolved[reference.field] = Number(id);
        else {
          unresolved.add(reference.field);
          errors.push(notFound(reference));
        }
      }
      return { body: resolved, errors, unresolved };
    },
  };
};

const givenIn = (
  set: Pick<FieldSet, 'fields'>,
  body: Values,
  resources: Readonly<Record<string, Resource>>,
): readonly Given[] =>
  set.fields.flatMap(({ name: field, byExternalId: member, references = '' }) => {
    const target = resources[references];
    if (member === undefined || !target?.externalKey || !Object.hasOwn(body, member)) return [];
    const value = body[member] as Json;
    return isReference(value, target.externalKey)
      ? [{ field, member, target, externalId: value[target.externalKey] as Json }]
      : [];
  });

/** A reference has no other member: an embedded record, which a client may send back as it was read, is none. */
const isReference = (value: Json, key: string): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).join() === key;

const bothGiven = ({ field, member }: Given): FieldError =>
  fieldError('read_only', member, `${member}: give either ${member} or ${field}, not both.`);

/** Whether the database can be asked for the value. */
const isText = (value: Json): boolean => typeof value === 'string' && isClean('one', value);

const notFound = ({ member, target, externalId }: Given): FieldError => {
  const place = `${member}.${target.externalKey}`;
  if (typeof externalId !== 'string') return fieldError('invalid_type', place, `${place}: a string is expected.`);
  if (!isText(externalId)) return fieldError('invalid_character', place);
  const text = externalId.slice(0, 190);
  return fieldError('reference_not_found', place, `${place}: there is no ${target.singular} with the value ${text}.`);
};

const idTemplate = ({ table, key, externalKey = '' }: Resource) =>
  template(`by-external-id|${table}`, () =>
    compiler
      .selectFrom(`${table} as r`)
      .select(sql`${sql.id('r', key)}`.as('id'))
      .where(sql<SqlBool>`${sql.id('r', externalKey)} = ${new Slot(1)}::text`)
      .compile(),
  );
