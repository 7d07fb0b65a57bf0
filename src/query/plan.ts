import type { Call } from '../core/call/call.ts';
import type { Limits } from '../core/call/limits.ts';
import { ApiError } from '../core/errors.ts';
import { suggestion } from '../core/names.ts';
import type { Tenant } from '../core/principal.ts';
import { scopeMissing } from '../core/resource/access.ts';
import { type FieldSet, sourceField } from '../core/resource/fields.ts';
import type { Field, Relation, Resource } from '../core/resource/resource.ts';
import type { Result, Statement } from '../db/database.ts';
import { type CursorScope, type Position, parseCursor } from './cursor.ts';
import { findField, selectFields } from './fields.ts';
import { type Condition, fit } from './predicate.ts';
import type { Embed, Query } from './query.ts';
import { defaultSort, type OrderTerm, type SortTerm } from './sort.ts';

/** A relation to embed, under the requested name. */
export interface EmbedPlan {
  readonly name: string;
  readonly relation: Relation;
  readonly set: FieldSet;
  readonly fields: readonly Field[];
  /** Records that a response embeds at most, if the relation is to many. */
  readonly most: number;
}

/** The values of a field that the server has, not the database: what has been judged. */
export interface Supplement {
  /** The name of the field. */
  readonly field: string;
  /** Whether its values need a trip of their own. */
  readonly reads: boolean;
  /** Returns the values of the records with the keys, in the order of these. */
  values(keys: readonly string[], send: SendSupplement): Promise<readonly (string | null)[]>;
}

/** Sends the statements of a supplement, in one trip. */
export type SendSupplement = (statements: readonly Statement[]) => Promise<readonly Result[]>;

/** A validated query: every name and value fits, so later failures are never the client's mistake. */
export interface ReadPlan<Name extends string = string, Many extends boolean = boolean> {
  readonly set: FieldSet<Name>;
  /** All resources, by name: fields have values of their records. */
  readonly resources: Call['resources'];
  /** A listing, or one record. */
  readonly many: Many;
  /** What cursors are bound to. */
  readonly bound: CursorScope;
  readonly fields: readonly Field[];
  readonly conditions: readonly Condition[];
  /** The values that the source is called with after the tenant's id, if it is a function. */
  readonly given: readonly (string | null)[];
  /** The values of a field that are added to the records; null: the database has all. */
  readonly supplement: Supplement | null;
  /** Ends with the key, so that the order is total. */
  readonly order: readonly OrderTerm[];
  readonly embeds: readonly EmbedPlan[];
  readonly limit: number | null;
  /** Whether to count the records that match the conditions. */
  readonly count: boolean;
  /** Restricts the page to records after this position. */
  readonly after: Position | null;
  /** Until when its values for the present are right, in milliseconds since 1970; null: it has none. */
  readonly until: number | null;
}

/** The parts of a call that planning uses: limits, and the tenant's resources, fields and time zone. */
export interface PlanContext extends Pick<Call, 'resources' | 'fields' | 'limits'> {
  readonly principal: { readonly tenant: Pick<Tenant, 'modules' | 'timeZone'> };
}

/**
 * Plans the listing of a query, validated against the fields of the resource.
 * See docs/decisions.md, "Listings".
 * @param bound what cursors are bound to
 * @throws ApiError for the first name or value that does not fit
 */
export const plan = <Name extends string>(
  query: Query,
  resource: Resource<Name>,
  schema: PlanContext,
  bound: CursorScope = { ...query, listing: resource.name },
): ReadPlan<Name, true> => {
  checkLimits(query, schema.limits);
  const { timeZone } = schema.principal.tenant;
  const set = schema.fields.get(resource);
  const order = planOrder(query.sort, set);
  return {
    set,
    resources: schema.resources,
    many: true,
    bound,
    fields: selectFields(set, query.fields, 'fields'),
    conditions: query.filters.flatMap(({ field: name, all }) => {
      const field = findField(set, name, name);
      return all.map(group => fit(field, group, timeZone));
    }),
    given: resource.called ? [timeZone, null, ...(resource.supplied ? [null] : [])] : [],
    supplement: null,
    order,
    embeds: query.embed.map(embed => planEmbed(embed, set, schema)),
    limit: query.limit,
    count: query.count,
    after: query.cursor === null ? null : parseCursor(query.cursor, bound, order),
    until: null,
  };
};

/** The order that a query asks for; that of the resource if it asks for none. */
const planOrder = (asked: readonly SortTerm[], set: FieldSet): OrderTerm[] => {
  const terms = asked.length > 0 ? asked : defaultSort(set.resource);
  const order = terms.map(({ field: name, descending }) => {
    const field = asked.length > 0 ? findField(set, name, 'sort') : sourceField(set, name);
    if (field.type !== 'json') return { field, descending };
    throw new ApiError('invalid_sort', { message: `${name} is an object or array and has no order.` });
  });
  const key = sourceField(set, set.resource.key);
  return order.some(term => term.field === key) ? order : [...order, { field: key, descending: false }];
};

const planEmbed = (embed: Embed, set: FieldSet, schema: PlanContext): EmbedPlan => {
  const relation = findRelation(embed.relation, set);
  const target = schema.resources[relation.resource] as Resource;
  if (target.module !== null && !schema.principal.tenant.modules.has(target.module)) {
    throw new ApiError('module_disabled', { message: `embed=${embed.relation} needs the module ${target.module}.` });
  }
  const targets = schema.fields.get(target);
  if (targets.unreadable) throw scopeMissing(target.name);
  for (const name of embed.fields ?? []) rejectSecondRelation(embed.relation, name, targets);
  const fields = selectFields(targets, embed.fields, 'embed');
  return { name: embed.relation, relation, set: targets, fields, most: schema.limits.embedRows };
};

/** @throws ApiError embed_too_deep (400) if the name, up to its first dot, is a relation and no field */
const rejectSecondRelation = (embedded: string, name: string, { resource, byName }: FieldSet): void => {
  const [first = ''] = name.split('.');
  if (byName.has(name) || !resource.relations.some(relation => relation.name === first || relation.short === first))
    return;
  throw new ApiError('embed_too_deep', {
    message: `embed=${embedded}.${name.slice(0, 64)}: ${first} is a relation of ${resource.name}; relations can be embedded only one level deep.`,
  });
};

const findRelation = (name: string, { resource, relations }: FieldSet): Relation => {
  const relation = relations.find(candidate => candidate.name === name || candidate.short === name);
  if (relation) return relation;
  const known = relations.flatMap(candidate => [candidate.name, candidate.short]);
  throw new ApiError('unknown_relation', {
    message: `${name.slice(0, 64)} is not a relation of ${resource.name}.${suggestion(name, known)}`,
  });
};

const checkLimits = (query: Query, limits: Limits): void => {
  let [groups, alternatives, longest] = [0, 0, 0];
  for (const { all } of query.filters) {
    groups += all.length;
    for (const group of all) {
      alternatives += group.length;
      for (const one of group) if ('value' in one) longest = Math.max(longest, Buffer.byteLength(one.value));
    }
  }
  const excesses: [count: number, limit: number, what: string][] = [
    [groups, limits.filters, 'filter conditions'],
    [alternatives, limits.filterValues, 'filter values'],
    [longest, limits.filterBytes, 'bytes in a filter value'],
    [query.sort.length, limits.sortFields, 'sort fields'],
    [query.embed.length, limits.embeds, 'embedded relations'],
  ];
  for (const [count, limit, what] of excesses) {
    if (count <= limit) continue;
    throw new ApiError('invalid_parameter', {
      message: `The request has ${count} ${what}; at most ${limit} are allowed.`,
    });
  }
};
