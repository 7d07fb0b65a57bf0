import { type Compilable, type Kysely, type SqlBool, sql } from 'kysely';
import { assignmentBooked } from '../../../generated/status-sets.ts';
import type { Tables } from '../../../generated/tables.ts';
import { chunksOf } from '../../core/chunks.ts';
import type { Transaction } from '../../db/database.ts';
import { insertable, literal, oneOf } from '../../db/ids.ts';
import type { JournalEntry } from '../../db/journal/read.ts';
import type { RuleScope } from '../rules/rule.ts';
import { timeNames } from '../staffing/times/effective.ts';

/** Whose work the changes of some records touch: ids of employees, or a query of them. */
interface TouchedPeople {
  readonly ids?: readonly number[];
  readonly queries?: readonly PeopleQuery[];
}

type PeopleQuery = Compilable<{ employee_id: number }>;

/** How the changes of a resource's records touch people. */
interface Source {
  /** The fields that conflicts depend on; omitted: any. */
  readonly fields?: readonly string[];
  /** Whether new and removed records touch nobody: nothing refers to them. */
  readonly updatesOnly?: true;
  touches(entries: readonly JournalEntry[], transaction: Transaction): TouchedPeople | Promise<TouchedPeople>;
}

/**
 * The records that conflicts follow from, by resource.
 * Where a project has another client, or a function another wage profile, the events and assignments that have it from there have
 * entries. See docs/decisions.md, "Conflicts".
 */
const sources: Readonly<Record<string, Source>> = {
  assignments: {
    fields: [...timeNames, 'employee_id', 'event_function_id', 'is_approved', 'status', 'wage_profile_id'],
    touches: (entries, { kysely }) => ({
      ids: ownersIn(entries, 'employee_id'),
      queries: [staffed(kysely).where('a.id', '=', idsOf(entries))],
    }),
  },
  employees: {
    fields: ['birthday', 'forgotten_at', 'qualifications', 'wage_profile_id'],
    touches: entries => ({ ids: entries.map(({ id }) => id) }),
  },
  'event-functions': {
    fields: [...timeNames, 'event_id', 'function_id', 'location_id', 'required_qualifications', 'wage_profile_id'],
    updatesOnly: true,
    touches: (entries, { kysely }) => ({
      queries: [staffed(kysely).where('a.event_function_id', '=', idsOf(entries))],
    }),
  },
  events: {
    fields: [...timeNames, 'client_id', 'location_id', 'project_id', 'status'],
    updatesOnly: true,
    touches: (entries, { kysely }) => ({ queries: [placed(kysely).where('e.id', '=', idsOf(entries))] }),
  },
  locations: {
    fields: ['country'],
    updatesOnly: true,
    touches: (entries, { kysely }) => {
      const location = sql`coalesce(f.location_id, e.location_id)`;
      return { queries: [placed(kysely).where(sql<SqlBool>`${location} = ${idsOf(entries)}`)] };
    },
  },
  'wage-profiles': {
    fields: ['deleted', 'is_default'],
    touches: async (entries, { kysely }) => {
      const own = kysely.selectFrom('wage_profiles').select('id').where('id', '=', idsOf(entries));
      // A new one is nobody's, unless it is the default.
      const isNobodys = entries.every(({ change }) => change === 'created');
      if (isNobodys && !(await own.where('default_place', '=', 1).executeTakeFirst())) return {};
      return { queries: [everybody(kysely)] };
    },
  },
  'busy-dates': {
    fields: ['counts_as_work', 'employee_id', 'end', 'start'],
    touches: (entries, { kysely }) => {
      // Whose one was before that now is another's, nothing says.
      const isMoved = entries.some(({ change, fields }) => change === 'updated' && fields.includes('employee_id'));
      return {
        ids: ownersIn(entries, 'employee_id'),
        queries: isMoved
          ? [everybody(kysely)]
          : [kysely.selectFrom('busy_dates').select('employee_id').where('id', '=', idsOf(entries))],
      };
    },
  },
  'work-times': {
    touches: (entries, { kysely }) => {
      const own = kysely.selectFrom('work_times').select('event_function_employee_id').where('id', '=', idsOf(entries));
      const removed = literal(ownersIn(entries, 'event_function_employee_id'));
      return {
        queries: [staffed(kysely).where('a.id', '=', sql<number>`any(${removed}::bigint[] || array(${own}))`)],
      };
    },
  },
  'work-rules': {
    fields: ['applies_to', 'basis', 'except', 'kind', 'mode', 'parameters', 'time_zone', 'valid_from', 'valid_to'],
    touches: async (entries, { kysely }) => {
      const rules = await kysely
        .selectFrom('work_rules')
        .select('applies_to')
        .where('id', '=', idsOf(entries))
        .where('mode', '<>', 'off')
        .execute();
      const named = rules.map(rule => (rule.applies_to as RuleScope).employee_ids);
      return {
        ids: named.flatMap(ids => ids ?? []),
        queries: named.some(ids => ids === undefined) ? [everybody(kysely)] : [broken(kysely, entries)],
      };
    },
  },
};

/** The resources whose changes conflicts follow from. */
export const followedResources: readonly string[] = Object.keys(sources);

/** Has the work of those judged whom entries of the journal touch. */
export const addTouched = async (entries: readonly JournalEntry[], transaction: Transaction): Promise<void> => {
  const byResource = Map.groupBy(entries.filter(isRelevant), ({ resource }) => resource);
  for (const [resource, own] of byResource) {
    const { ids = [], queries = [] } = (await sources[resource]?.touches(own, transaction)) ?? {};
    await addPeople(ids, queries, transaction);
  }
};

/** Has the work of everybody judged. */
export const addEverybody = (transaction: Transaction): Promise<void> =>
  addPeople([], [everybody(transaction.kysely)], transaction);

/**
 * Has those judged whose conflicts have begun before a time, and may have ended.
 * And those whose work is old enough not to be looked at any more.
 * @param from the time before which work had to end for that until now
 * @param to the same from now on
 */
export const addOutdated = (since: string, from: string, to: string, transaction: Transaction): Promise<void> => {
  const { kysely } = transaction;
  const begun = kysely.selectFrom('conflicts').select('employee_id').where('start', '<', since);
  const worked = booked(kysely).where('a.effective_end', '>', from).where('a.effective_end', '<=', to);
  const elsewhere = kysely
    .selectFrom('busy_dates')
    .select('employee_id')
    .where('counts_as_work', '=', true)
    .where('end', '>', from)
    .where('end', '<=', to);
  return addPeople([], [begun, worked, elsewhere], transaction);
};

/** Whether somebody's work is still to be judged. */
export const isAnybodyLeft = async ({ kysely }: Transaction): Promise<boolean> =>
  (await kysely.selectFrom('conflict_people').select('id').limit(1).executeTakeFirst()) !== undefined;

const addPeople = async (
  ids: readonly number[],
  queries: readonly PeopleQuery[],
  transaction: Transaction,
): Promise<void> => {
  const found = await transaction.run(...queries);
  const people = new Set([...ids, ...found.flat().map(({ employee_id }) => employee_id)]);
  for (const chunk of chunksOf([...people], insertable))
    await transaction.kysely
      .insertInto('conflict_people')
      .values(chunk.map(id => ({ id })))
      .onConflict(conflict => conflict.doNothing())
      .execute();
};

const isRelevant = ({ resource, change, fields }: JournalEntry): boolean => {
  const { fields: known, updatesOnly } = sources[resource] ?? {};
  if (change !== 'updated') return !updatesOnly;
  return known === undefined || fields.some(name => known.includes(name));
};

const idsOf = (entries: readonly JournalEntry[]) => oneOf([...new Set(entries.map(({ id }) => id))]);

/** Returns the ids that removed records had in a field. */
const ownersIn = (entries: readonly JournalEntry[], field: string): readonly number[] =>
  entries.flatMap(({ change, fields }) => {
    const part = change === 'deleted' ? fields.find(name => name.startsWith(`${field}=`)) : undefined;
    return part === undefined ? [] : [Number(part.slice(field.length + 1))];
  });

const staffed = (db: Kysely<Tables>) => db.selectFrom('assignments as a').select('a.employee_id');

const booked = (db: Kysely<Tables>) =>
  staffed(db).where(sql<SqlBool>`a.status in (${sql.join(assignmentBooked.map(status => sql.lit(status)))})`);

const placed = (db: Kysely<Tables>) =>
  booked(db)
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id');

/** Those who work at some time, or have conflicts. */
const everybody = (db: Kysely<Tables>) => booked(db).union(db.selectFrom('conflicts').select('conflicts.employee_id'));

/** Those who have conflicts with the rules, or lack a birthday. */
const broken = (db: Kysely<Tables>, rules: readonly JournalEntry[]) =>
  db
    .selectFrom('conflicts as c')
    .select('c.employee_id')
    .where(({ eb, or }) => or([eb('c.rule_id', '=', idsOf(rules)), eb('c.type', '=', 'birthday_missing')]));
