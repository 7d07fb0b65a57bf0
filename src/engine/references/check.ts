import { type SqlBool, sql } from 'kysely';
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

const referring = new WeakMap<FieldSet, readonly Field[]>();

/** Returns the fields that refer to records or to values of collections. Cached. */
const referringOf = (set: FieldSet): readonly Field[] => {
  const known =
    referring.get(set) ??
    set.fields.filter(field => referencesOf(field).length > 0 || field.memberReferences || isSelect(field));
  referring.set(set, known);
  return known;
};

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

const lookUpRecords = (
  field: Field,
  values: Values,
  before: Values,
  { set, resources, tenantId }: ReferenceDependencies,
): Lookup[] => {
  if (field.access === 'read' && !Object.hasOwn(values, field.name)) return [];
  const after = { ...before, ...values };
  return referencesOf(field).flatMap(reference => {
    const { resource, when, by } = reference;
    const target = resources[resource];
    const isWritten = [field.name, when?.field].some(name => name !== undefined && Object.hasOwn(values, name));
    if (!target || !isWritten || (when && after[when.field] !== when.value)) return [];
    const sameTarget = !when || before[when.field] === when.value;
    const kept = new Set(sameTarget ? [before[field.name] ?? null].flat() : []);
    const given = after[field.name] ?? null;
    const wanted = [given].flat().filter(item => item !== null && !kept.has(item)) as (number | string)[];
    return lookUp(field, given, wanted, { target, by, restriction: set.view?.get(target).restriction, tenantId });
  });
};

/** Looks up what the members of an object refer to. */
const lookUpMembers = (
  field: Field,
  values: Values,
  before: Values,
  { set, resources, tenantId }: ReferenceDependencies,
): Lookup[] => {
  const { name, memberReferences = {} } = field;
  const after = values[name] ?? null;
  return Object.entries(memberReferences).flatMap(([member, resource]) => {
    const target = resources[resource];
    const given = memberOf(after, member);
    const kept = new Set([memberOf(before[name] ?? null, member)].flat());
    const wanted = [given].flat().filter(item => item !== null && !kept.has(item)) as number[];
    if (!target) return [];
    const place = { ...field, name: `${name}.${member}` };
    return lookUp(place, given, wanted, { target, by: null, restriction: set.view?.get(target).restriction, tenantId });
  });
};

const memberOf = (value: Json, member: string): Json =>
  typeof value === 'object' && value !== null ? ((value as Values)[member] ?? null) : null;

/** The records that are looked up. */
interface LookedUp {
  readonly target: Resource;
  readonly by: Reference['by'];
  readonly restriction: Restriction | undefined;
  readonly tenantId: number;
}

const lookUp = (
  field: Field,
  given: Json,
  wanted: readonly (number | string)[],
  { target, by, restriction, tenantId }: LookedUp,
): Lookup[] => {
  if (wanted.length === 0) return [];
  const bound = [String(tenantId), arrayLiteral([...new Set(wanted)])];
  const statement = bind(stateTemplate(target, by, restriction), bound);
  return [{ statement, judge: rows => ({ errors: stateErrors(field, given, wanted, target, rows) }) }];
};

const statesIn = new WeakMap<readonly Row[], ReadonlyMap<string | null | undefined, boolean>>();

/**
 * Whether each record that has been read is inactive, by its key.
 * Cached: the rows are those of many lookups that have been sent as one.
 */
const statesOf = (rows: readonly Row[]): ReadonlyMap<string | null | undefined, boolean> => {
  const known = statesIn.get(rows) ?? new Map(rows.map(([key, inactive]) => [key, inactive === 't']));
  statesIn.set(rows, known);
  return known;
};

const stateErrors = (
  { name, judged }: Field,
  given: Json,
  wanted: readonly (number | string)[],
  { singular }: Resource,
  rows: readonly Row[],
): FieldError[] => {
  const states = statesOf(rows);
  return [...new Set(wanted)].flatMap(item => {
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
