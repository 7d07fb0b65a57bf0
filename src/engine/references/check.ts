import { type SqlBool, sql } from 'kysely';
import { cachedBy } from '../../core/cached.ts';
import type { Json } from '../../core/call/reply.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { FieldSet, Restriction } from '../../core/resource/fields.ts';
import { type Reference, referencesOf } from '../../core/resource/references.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import type { Result, Row, Transaction } from '../../db/database.ts';
import { arrayLiteral } from '../../db/values.ts';
import { restrictionShape, restrictionSql } from '../../query/source.ts';
import { bind, columnTypes, compiler, Slot, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';
import { lookUpChoices } from './choices.ts';
import { isSelect } from './collection.ts';
import { type Lookup, placeOf } from './lookup.ts';

/** The errors of all references in a body, and its values with the ids of what they refer to. */
export interface CheckedReferences {
  readonly errors: readonly FieldError[];
  readonly values: Values;
}

/**
 * Checks that everything that the values refer to exists in the tenant and accepts new references.
 * One trip for all. See docs/decisions.md, "Fields in requests".
 * @param before the record as it is: what its values refer to already are not new references
 */
export const checkReferences = async (
  set: FieldSet,
  values: Values,
  resources: Readonly<Record<string, Resource>>,
  transaction: Transaction,
  before: Values = {},
): Promise<CheckedReferences> => {
  const fields = referringOf(set);
  const dependencies = { set, resources, tenantId: transaction.tenant.id };
  const errors = fields.flatMap(field => typeErrors(field, values, before));
  const lookups = fields.flatMap(field => [
    ...lookUpRecords(field, values, before, dependencies),
    ...lookUpMembers(field, values, before, dependencies),
    ...(Object.hasOwn(values, field.name) ? lookUpChoices(field, values, before, transaction) : []),
  ]);
  if (lookups.length === 0) return { errors, values };
  const results = await transaction.send(...lookups.map(({ statement }) => statement));
  const resolved: Record<string, Json> = { ...values };
  for (const [index, lookup] of lookups.entries()) {
    const verdict = await lookup.judge((results[index] as Result).rows);
    errors.push(...verdict.errors);
    if (verdict.value) resolved[verdict.value[0]] = verdict.value[1];
  }
  return { errors, values: resolved };
};

/** Returns the fields that refer to records or to values of collections. Cached. */
const referringOf = cachedBy((set: FieldSet) =>
  set.fields.filter(field => referencesOf(field).length > 0 || field.memberReferences || isSelect(field)),
);

/** Returns the error of an id without the value that determines its resource. */
const typeErrors = ({ name, referencesOneOf }: Field, values: Values, before: Values): FieldError[] => {
  const { field } = referencesOneOf ?? {};
  if (field === undefined || !(Object.hasOwn(values, name) || Object.hasOwn(values, field))) return [];
  const { [name]: id = null, [field]: type = null } = { ...before, ...values };
  return id !== null && type === null ? [fieldError('not_empty', field, `${field}: ${name} requires a value.`)] : [];
};

interface ReferenceDependencies {
  readonly set: FieldSet;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly tenantId: number;
}

const lookUpRecords = (field: Field, values: Values, before: Values, dependencies: ReferenceDependencies): Lookup[] => {
  if (field.access === 'read' && !Object.hasOwn(values, field.name)) return [];
  const after = { ...before, ...values };
  return referencesOf(field).flatMap(reference => {
    const { when } = reference;
    const isWritten = [field.name, when?.field].some(name => name !== undefined && Object.hasOwn(values, name));
    if (!isWritten || (when && after[when.field] !== when.value)) return [];
    const sameTarget = !when || before[when.field] === when.value;
    const kept = sameTarget ? (before[field.name] ?? null) : null;
    return lookUp(field, after[field.name] ?? null, kept, reference, dependencies);
  });
};

/** Looks up what the members of an object refer to. */
const lookUpMembers = (field: Field, values: Values, before: Values, dependencies: ReferenceDependencies): Lookup[] => {
  const [after, kept] = [values[field.name] ?? null, before[field.name] ?? null];
  return Object.entries(field.memberReferences ?? {}).flatMap(([member, resource]) => {
    const place = { ...field, name: `${field.name}.${member}` };
    return lookUp(place, memberOf(after, member), memberOf(kept, member), { resource, by: null }, dependencies);
  });
};

const memberOf = (value: Json, member: string): Json =>
  typeof value === 'object' && value !== null ? ((value as Values)[member] ?? null) : null;

/** Looks up what a value refers to, but for what it referred to before. */
const lookUp = (
  field: Field,
  given: Json,
  before: Json,
  { resource, by }: Pick<Reference, 'resource' | 'by'>,
  { set, resources, tenantId }: ReferenceDependencies,
): Lookup[] => {
  const target = resources[resource];
  const kept = new Set([before].flat());
  const items = [given].flat().filter(item => item !== null && !kept.has(item)) as (number | string)[];
  if (!target || items.length === 0) return [];
  const wanted = [...new Set(items)];
  const made = stateTemplate(target, by, set.view?.get(target).restriction);
  const statement = bind(made, [String(tenantId), arrayLiteral(wanted)]);
  return [{ statement, judge: rows => ({ errors: stateErrors(field, given, wanted, target, rows) }) }];
};

/**
 * Whether each record that has been read is inactive, by its key.
 * Cached: the rows are those of many lookups that have been sent as one.
 */
const statesOf = cachedBy((rows: readonly Row[]) => new Map(rows.map(([key, inactive]) => [key, inactive === 't'])));

const stateErrors = (
  { name, judged }: Field,
  given: Json,
  wanted: readonly (number | string)[],
  { singular }: Resource,
  rows: readonly Row[],
): FieldError[] => {
  const states = statesOf(rows);
  return wanted.flatMap(item => {
    const field = placeOf(name, given, item);
    const state = states.get(String(item));
    if (state === undefined)
      return [fieldError('reference_not_found', field, `${field}: there is no ${singular} ${item}.`)];
    if (!state || judged) return [];
    return [fieldError('reference_inactive', field, `${field}: the ${singular} ${item} takes no new references.`)];
  });
};

/** Reads which records exist and are active, and locks them against removal until the end. */
const stateTemplate = (
  { table, key, inactive, fields }: Resource,
  by: Reference['by'],
  restriction: Restriction | undefined,
) =>
  template(
    `state|${table}|${by}|${restrictionShape(restriction)}`,
    () => {
      const type = fields.find(({ name }) => name === (by ?? key))?.type ?? 'integer';
      const column = sql.id('r', by ?? key);
      return compiler
        .selectFrom(`${table} as r`)
        .select([
          sql`${column}`.as('key'),
          inactive
            ? sql`${sql.id('r', inactive.field)} = ${sql.lit(inactive.value)}`.as('inactive')
            : sql`false`.as('inactive'),
        ])
        .where(sql<SqlBool>`${column} = any(${new Slot(1)}::${columnTypes[type]}[])`)
        .$if(restriction !== undefined, query => query.where(restrictionSql(restriction as Restriction)))
        .orderBy(sql`${column}`)
        .forKeyShare()
        .compile();
    },
    { ways: { 1: 'union' }, gives: 'all' },
  );
