import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { changedFields } from '../../db/journal/returning.ts';
import { now } from '../../db/now.ts';
import type { Values } from '../../engine/body.ts';
import { lockEvents } from './locks.ts';

/** Whether an assignment shows a value of its owner, which has changed. */
type Shows = (before: Json, after: Json) => RawBuilder<SqlBool>;

/** How the assignments of an owner are found, and which of its values they show. */
interface Owner {
  /** The column with the owner's id; null: all assignments are its heirs. */
  readonly key: string | null;
  readonly shown: Readonly<Record<string, Shows>>;
}

const always: Shows = () => sql`true`;

/** All of the columns, which come first, are null. */
const unless =
  (...columns: readonly string[]): Shows =>
  () =>
    sql`coalesce(${sql.join(columns.map(column => sql.ref(column)))}) is null`;

/** The columns that decide an assignment's wage profile, the first of them that is not null. */
const profiles = [
  'a.approved_wage_profile_id',
  'a.wage_profile_id',
  'f.wage_profile_id',
  't.wage_profile_id',
  'w.wage_profile_id',
] as const;

/** The values of owners that decide which wage profile an assignment shows. */
const deciding: ReadonlySet<string> = new Set(['wage_profile_id', 'function_id', 'is_default', 'deleted']);

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
      wage_profile_id: unless(...profiles.slice(0, 2)),
      function_id: unless(...profiles.slice(0, 3)),
    },
  },
  functions: { key: 'f.function_id', shown: { wage_profile_id: unless(...profiles.slice(0, 3)) } },
  employees: { key: 'a.employee_id', shown: { wage_profile_id: unless(...profiles.slice(0, 4)) } },
  'wage-profiles': {
    key: null,
    shown: { is_default: unless(...profiles), deleted: unless(...profiles) },
  },
} as const satisfies Record<string, Owner>;

const changedOf = (names: readonly string[], before: Values, after: Values): readonly string[] =>
  names.filter(name => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));

/**
 * Marks the assignments as updated that show a changed value of a record: because neither they themselves nor anything that comes
 * before the record has one. Call it after the write, with the record locked. The assignments are locked last (see `staffingLocks`).
 */
export const touchAssignments = async (
  resource: keyof typeof owners,
  before: Values,
  after: Values,
  { kysely }: Transaction,
): Promise<void> => {
  const { key, shown }: Owner = owners[resource];
  const changed = changedOf(Object.keys(shown), before, after);
  if (changed.length === 0) return;
  const condition = (name: string) => (shown[name] as Shows)(before[name] ?? null, after[name] ?? null);
  const profiled = changed.filter(name => deciding.has(name)).map(condition);
  const heirs = await kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('functions as t', 't.id', 'f.function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .innerJoin('employees as w', 'w.id', 'a.employee_id')
    .select(['a.id', sql<boolean>`${anyOf(profiled)}`.as('profiled')])
    .$if(key !== null, query => query.where(sql.ref(String(key)), '=', Number(after.id)))
    .where(anyOf(changed.map(condition)))
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute();
  if (heirs.length === 0) return;
  await kysely
    .updateTable('assignments')
    .set({ updated_at: now })
    .where(among(heirs.map(({ id }) => id)))
    .returning(changedFields({ wage_profile_id: among(heirs.flatMap(({ id, profiled }) => (profiled ? [id] : []))) }))
    .execute();
};

const anyOf = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  conditions.length > 0 ? sql`(${sql.join(conditions, sql` or `)})` : sql`false`;

const among = (ids: readonly number[]): RawBuilder<SqlBool> => sql`id = any(${literal(ids)}::bigint[])`;

/** The values that events without their own take from their project. */
export const projectValues = ['client_id', 'contact_id', 'planner_id', 'configurations', 'reporting_form_ids'] as const;

/** Returns which of the values that events take from their project differ; for an event of another project, all. */
export const changedByProject = (before: Values, after: Values): readonly (typeof projectValues)[number][] =>
  before.project_id !== after.project_id
    ? projectValues
    : projectValues.filter(name => changedOf([name], before, after).length > 0);

/**
 * Marks the events of a project, or one event, as updated that take one of the changed values from their project. Call it after the
 * write, with the project locked.
 */
export const touchEvents = async (
  { field, id }: { readonly field: 'project_id' | 'id'; readonly id: number },
  changed: readonly (typeof projectValues)[number][],
  transaction: Transaction,
): Promise<void> => {
  if (changed.length === 0) return;
  const { kysely } = transaction;
  const heirs = kysely
    .selectFrom('events')
    .where(field, '=', id)
    .where(({ eb, or }) => or(changed.map(name => eb(name, 'is', null))));
  const ids = (await heirs.select('id').execute()).map(event => event.id);
  if (ids.length === 0) return;
  await lockEvents(ids, transaction);
  await kysely
    .updateTable('events')
    .set({ updated_at: now })
    .where(among(ids))
    .returning(changedFields(Object.fromEntries(changed.map(name => [name, sql`${sql.ref(name)} is null`]))))
    .execute();
};
