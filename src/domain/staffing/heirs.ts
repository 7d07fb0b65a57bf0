import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { changedFields } from '../../db/journal/returning.ts';
import { now } from '../../db/now.ts';
import type { Values } from '../../engine/body.ts';
import { lockEvents } from './locks.ts';

/** Whether an assignment shows a value of its owner, which has changed. */
type Shows = (before: Json, after: Json) => RawBuilder<SqlBool>;

/** How the assignments of an owner are found, and which of its values they show. */
interface InheritedFrom {
  /** The column with the owner's id; null: all assignments are its heirs. */
  readonly key: string | null;
  readonly shown: Readonly<Record<string, Shows>>;
  /** The owner's values that decide which wage profile assignments show. */
  readonly profile?: readonly string[];
}

const always: Shows = () => sql`true`;

/** All of the columns, which come first, are null. */
const unless =
  (...columns: readonly string[]): Shows =>
  () =>
    sql`coalesce(${sql.join(columns.map(column => sql.ref(column)))}) is null`;

/** Whether the settings differ that configurations of an event and of its project make together. */
const differ = (
  one: readonly [event: RawBuilder<unknown>, project: RawBuilder<unknown>],
  other: readonly [event: RawBuilder<unknown>, project: RawBuilder<unknown>],
): RawBuilder<SqlBool> => sql`configuration_sections(${sql.join(one)}) <> configuration_sections(${sql.join(other)})`;

const json = (value: Json): RawBuilder<unknown> => sql`${value === null ? null : JSON.stringify(value)}::text::jsonb`;
const ofEvent = sql`e.configurations`;
const ofProject = sql`p.configurations`;

const owners = {
  projects: {
    key: 'e.project_id',
    shown: {
      client_id: unless('e.client_id'),
      contact_id: unless('e.contact_id'),
      planner_id: unless('e.planner_id'),
      configurations: (before, after) => differ([ofEvent, json(before)], [ofEvent, json(after)]),
    },
  },
  events: {
    key: 'f.event_id',
    shown: {
      project_id: always,
      client_id: always,
      contact_id: always,
      planner_id: always,
      location_id: unless('f.location_id'),
      configurations: before => differ([json(before), ofProject], [ofEvent, ofProject]),
    },
  },
  'event-functions': {
    key: 'a.event_function_id',
    shown: {
      event_id: always,
      location_id: always,
    },
    profile: ['wage_profile_id', 'function_id'],
  },
  functions: { key: 'f.function_id', shown: {}, profile: ['wage_profile_id'] },
  employees: { key: 'a.employee_id', shown: {}, profile: ['wage_profile_id'] },
  'wage-profiles': { key: null, shown: {}, profile: ['is_default', 'deleted'] },
} as const satisfies Record<string, InheritedFrom>;

/** Returns which of the values differ. */
export const changedOf = <Name extends string>(
  names: readonly Name[],
  before: Values,
  after: Values,
): readonly Name[] => names.filter(name => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));

/** What gives an assignment the wage profile that it shows: the first of them that is not null. */
interface Givers {
  readonly place?: RawBuilder<unknown>;
  readonly type?: RawBuilder<unknown>;
  readonly employee?: RawBuilder<unknown>;
  readonly standard?: RawBuilder<unknown>;
}

const profileOf = ({
  place = sql`f.wage_profile_id`,
  type = sql`t.wage_profile_id`,
  employee = sql`w.wage_profile_id`,
  standard = sql`d.id`,
}: Givers): RawBuilder<unknown> =>
  sql`coalesce(a.approved_wage_profile_id, a.wage_profile_id, ${place}, ${type}, ${employee}, ${standard})`;

const idOf = (value: Json | undefined): RawBuilder<unknown> => sql`${value ?? null}::bigint`;

/** What an owner gave before its change. */
const givenBefore: Readonly<Partial<Record<keyof typeof owners, (before: Values, { kysely }: Transaction) => Givers>>> =
  {
    'event-functions': ({ wage_profile_id, function_id }, { kysely }) => ({
      place: idOf(wage_profile_id),
      type: sql`${kysely.selectFrom('functions').select('wage_profile_id').where('id', '=', Number(function_id))}`,
    }),
    functions: ({ wage_profile_id }) => ({ type: idOf(wage_profile_id) }),
    employees: ({ wage_profile_id }) => ({ employee: idOf(wage_profile_id) }),
    'wage-profiles': ({ id, is_default, deleted }) => ({
      standard: idOf(is_default === 1 && deleted !== 1 ? id : null),
    }),
  };

/**
 * Marks the assignments as updated that show a changed value of a record.
 * Because neither they themselves nor anything that comes before the record has one. Call it after the write, with the record
 * locked. The assignments are locked last (see `staffingLocks`).
 */
export const touchAssignments = async (
  resource: keyof typeof owners,
  before: Values,
  after: Values,
  transaction: Transaction,
): Promise<void> => {
  const { key, shown, profile = [] }: InheritedFrom = owners[resource];
  const changed = changedOf(Object.keys(shown), before, after);
  const isDecided = changedOf(profile, before, after).length > 0;
  if (changed.length === 0 && !isDecided) return;
  const conditions = changed.map(name => (shown[name] as Shows)(before[name] ?? null, after[name] ?? null));
  const old = givenBefore[resource]?.(before, transaction) ?? {};
  const profiled = isDecided ? sql<SqlBool>`${profileOf(old)} is distinct from ${profileOf({})}` : sql<SqlBool>`false`;
  const { kysely } = transaction;
  const heirs = await kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('functions as t', 't.id', 'f.function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .innerJoin('employees as w', 'w.id', 'a.employee_id')
    .leftJoin('wage_profiles as d', join => join.on('d.default_place', '=', 1))
    .select(['a.id', profiled.as('profiled')])
    .$if(key !== null, query => query.where(sql.ref(String(key)), '=', Number(after.id)))
    .where(sql<SqlBool>`(${sql.join([...conditions, profiled], sql` or `)})`)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute();
  if (heirs.length === 0) return;
  const reprofiled = heirs.flatMap(({ id, profiled }) => (profiled ? [id] : []));
  await kysely
    .updateTable('assignments')
    .set({ updated_at: now })
    .where('id', '=', oneOf(heirs.map(({ id }) => id)))
    .returning(changedFields({ wage_profile_id: sql`id = ${oneOf(reprofiled)}` }))
    .execute();
};

/** The values that events without their own take from their project. */
export const projectValues = ['client_id', 'contact_id', 'planner_id', 'configurations', 'reporting_form_ids'] as const;

/** Marks the events that take a changed value from a locked project as updated; call after the write. */
export const touchEvents = async (
  projectId: number,
  changed: readonly (typeof projectValues)[number][],
  transaction: Transaction,
): Promise<void> => {
  if (changed.length === 0) return;
  const { kysely } = transaction;
  const heirs = kysely
    .selectFrom('events')
    .where('project_id', '=', projectId)
    .where(({ eb, or }) => or(changed.map(name => eb(name, 'is', null))));
  const ids = (await heirs.select('id').execute()).map(event => event.id);
  if (ids.length === 0) return;
  await lockEvents(ids, transaction);
  await kysely
    .updateTable('events')
    .set({ updated_at: now })
    .where('id', '=', oneOf(ids))
    .returning(changedFields(Object.fromEntries(changed.map(name => [name, sql`${sql.ref(name)} is null`]))))
    .execute();
};
