import type { Call } from '../core/call/call.ts';
import type { Parameter } from '../core/call/parameter.ts';
import type { Parent } from '../core/call/parent.ts';
import { type FieldSet, sourceField } from '../core/resource/fields.ts';
import type { Alias, Resource } from '../core/resource/resource.ts';
import { daySpan, type InstantRange, nowOf, realTimeOf, type TenantClock } from '../core/time.ts';
import { literal } from '../db/ids.ts';
import type { FieldFilter } from './filter.ts';
import { type PlanContext, plan, type ReadPlan } from './plan.ts';
import { type Condition, fit } from './predicate.ts';
import { parseQuery, type Query } from './query.ts';

/** The plan of a call's listing: filters and sort of its alias and its own, of one parent if nested. */
export const planListing = <Name extends string>(call: Call, resource: Resource<Name>): ReadPlan<Name, true> => {
  const asked = parseQuery(call.parameters, call.fields.get(resource).byName);
  const alias = call.alias === null ? undefined : resource.aliases.find(({ name }) => name === call.alias);
  const { tenant } = call.principal;
  const present = alias && presentOf(alias, tenant);
  const fixed = present && parseQuery(present.parameters);
  const query = fixed && asked.sort.length === 0 ? { ...asked, sort: fixed.sort } : asked;
  // A cursor is bound to the words for the present, not to its instant, so that it stays valid.
  const bound = {
    ...(alias ? overlay(alias.parameters, asked) : asked),
    listing: [resource.name, call.alias, call.parent?.path].filter(Boolean).join(' '),
  };
  const listing = plan(query, resource, call, bound);
  const own = resource.readOwn?.about === undefined ? resource.readOwn?.own : undefined;
  const conditions = [
    ...(fixed?.filters ?? []).flatMap(filter => selects(listing.set, filter, tenant.timeZone)),
    ...listing.conditions,
    ...(call.parent ? [equals(listing.set, call.parent.field, call.parent.id)] : []),
    // An API user that reads its own records only.
    ...(own ? [equals(listing.set, own, call.principal.apiUser.id)] : []),
  ];
  const given = listing.given.length > 0 && call.parent ? listing.given.with(1, String(call.parent.id)) : listing.given;
  return { ...listing, conditions, given, until: present?.until ?? null };
};

/** The plan that reads one record by id (number) or external id (string), of its parent if nested. */
export const planRecord = <Name extends string>(
  parameters: readonly Parameter[],
  resource: Resource<Name>,
  id: number | string,
  schema: PlanContext,
  parent: Parent | null = null,
): ReadPlan<Name, false> => {
  const record = parameters.length === 0 ? planWhole(resource, schema) : plan(parseQuery(parameters), resource, schema);
  const conditions = [
    equals(record.set, typeof id === 'number' ? resource.key : (resource.externalKey ?? ''), id),
    ...(parent ? [equals(record.set, parent.field, parent.id)] : []),
  ];
  return { ...record, many: false, conditions };
};

/** The plan that reads the records with one of the ids in a field, by default the key. */
export const planAmong = <Name extends string>(
  resource: Resource<Name>,
  ids: readonly number[],
  schema: PlanContext,
  name: string = resource.key,
): ReadPlan<Name, true> => {
  const all = planWhole(resource, schema);
  const any = [{ kind: 'among', not: false, values: [literal(ids)] }] as const;
  return { ...all, conditions: [{ field: sourceField(all.set, name), any }] };
};

const wholes = new WeakMap<FieldSet, ReadPlan<string, true>>();

/** The plan of all fields of all records. Cached: every write shows its record with it. */
const planWhole = <Name extends string>(resource: Resource<Name>, schema: PlanContext): ReadPlan<Name, true> => {
  const set = schema.fields.get(resource);
  // A function is called with the time zone.
  const made = (resource.called ? undefined : wholes.get(set)) ?? plan(parseQuery([]), resource, schema);
  wholes.set(set, made);
  return made as ReadPlan<Name, true>;
};

/** The conditions of an alias's filter, which can be on a hidden field. */
const selects = (set: FieldSet, { field, all }: FieldFilter, timeZone: string): readonly Condition[] =>
  all.map(group => fit(sourceField(set, field), group, timeZone));

/** An alias's query with the request's own on top: filters are added, a sort replaces the alias's. */
const overlay = (alias: readonly Parameter[], own: Query): Query => {
  const base = parseQuery(alias);
  return {
    ...own,
    sort: own.sort.length > 0 ? own.sort : base.sort,
    filters: [...base.filters, ...own.filters],
  };
};

/**
 * An alias's parameters at this moment.
 * `today` and `tomorrow` as dates in the time zone, `midnight` and `now` as instants. With `now` they are right for this moment only,
 * with the others until the day ends.
 */
const presentOf = ({ parameters }: Alias, clock: TenantClock): Pick<Alias, 'parameters'> & Pick<ReadPlan, 'until'> => {
  const now = nowOf(clock);
  const date = now.toZonedDateTimeISO(clock.timeZone).toPlainDate();
  const day = daySpan(date.toString(), clock.timeZone) as InstantRange;
  const present: Readonly<Record<string, string>> = {
    today: date.toString(),
    midnight: day.from,
    tomorrow: date.add({ days: 1 }).toString(),
    now: now.toString({ smallestUnit: 'second', roundingMode: 'floor' }),
  };
  const words = new Set<string>();
  const replaced = parameters.map(([name, value]): Parameter => {
    const replace = (word: string): string => {
      words.add(word);
      return present[word] as string;
    };
    return [name, value.replaceAll(/\b(today|tomorrow|midnight|now)\b/g, replace)];
  });
  const end = words.has('now') ? 0 : realTimeOf(day.to, clock).getTime();
  return { parameters: replaced, until: words.size > 0 ? end : null };
};

const equals = (set: FieldSet, name: string, id: number | string): Condition => ({
  field: sourceField(set, name),
  any: [{ kind: 'equal', not: false, values: [String(id)] }],
});
