import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../../db/database.ts';
import { before as beforeUpdate, changedFields } from '../../../db/journal/returning.ts';
import { now } from '../../../db/now.ts';
import type { Values } from '../../../engine/body.ts';
import { lockFunctions } from '../locks.ts';

/** The assignments whose effective times depend on an event, an event function, or themselves. */
export interface TimesOwner {
  readonly field: 'event_id' | 'event_function_id' | 'id';
  readonly id: number;
}

/** The same, or several assignments. */
export type TimesScope = TimesOwner | { readonly field: 'id'; readonly id: RawBuilder<number> };

/** The times that event functions inherit from their event, and assignments from their event function. */
export const timeNames = ['start', 'end', 'break_start', 'break_end'] as const;
export type TimeName = (typeof timeNames)[number];

/** Returns which of the inherited times differ; a function that moves to another event changes all. */
export const changedTimes = (before: Values, after: Values): readonly TimeName[] =>
  timeNames.filter(name => before[name] !== after[name] || before.event_id !== after.event_id);

/** The column with the id of a scope's record: assignments are `a`, their event functions `f`. */
export const owners = { event_id: 'f.event_id', event_function_id: 'a.event_function_id', id: 'a.id' } as const;

/**
 * Stores the effective times of assignments.
 * Their own, or else the event function's, or else the event's. They are stored so that an index can be used. Call
 * it after changing any of the three, with the event locked, so that concurrent changes see each other. Approved
 * assignments, and those whose correction is open, keep their start and end. Sent with the next trip. See docs/decisions.md, "Times and the tenant's
 * clock".
 * @param changed the changed times of the scope's record; assignments that inherit one of them are marked as updated
 * @param before that record before the change
 */
export const storeEffectiveTimes = (
  { field, id }: TimesScope,
  transaction: Transaction,
  changed: readonly TimeName[] = [],
  before: Values = {},
): void => {
  const { kysely } = transaction;
  const fixed = sql<boolean>`(a.is_approved or a.correction is not null)`;
  const start = sql<string>`coalesce(a.start, f.start, e.start)`;
  const end = sql<string>`coalesce(a."end", f."end", e."end")`;
  const breaks = changed
    .filter(name => name === 'break_start' || name === 'break_end')
    .map(name => {
      const inherited = inherits(name, field === 'event_id' ? ['a', 'f'] : ['a']);
      const shown = sql`coalesce(${sql.ref(`f.${name}`)}, ${sql.ref(`e.${name}`)})`;
      const old = sql`${before[name] ?? null}::timestamptz`;
      return [name, sql<boolean>`(${inherited} and ${shown} is distinct from ${old})`] as const;
    });
  const owner = owners[field];
  if (field !== 'id')
    void transaction.defer(
      kysely
        .selectFrom('assignments as a')
        .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
        .select('a.id')
        .where(owner, '=', id)
        .orderBy('a.id')
        .forNoKeyUpdate('a'),
    );
  const storing = kysely
    .updateTable('assignments as a')
    .from('event_functions as f')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .set({
      effective_start: sql`case when ${fixed} then a.effective_start else ${start} end`,
      effective_end: sql`case when ${fixed} then a.effective_end else ${end} end`,
      updated_at: now,
    })
    .whereRef('f.id', '=', 'a.event_function_id')
    .where(owner, '=', id)
    .where(({ and, eb, or }) =>
      or([
        and([eb.not(fixed), sql<boolean>`(a.effective_start, a.effective_end) is distinct from (${start}, ${end})`]),
        ...breaks.map(([, inherited]) => inherited),
      ]),
    )
    .returning(
      changedFields({
        start: sql`${beforeUpdate('effective_start')} is distinct from a.effective_start`,
        end: sql`${beforeUpdate('effective_end')} is distinct from a.effective_end`,
        ...Object.fromEntries(breaks),
      }),
    );
  void transaction.defer(storing);
};

/** Whether none of the tables' rows has a time of its own. */
const inherits = (name: TimeName, tables: readonly string[]) =>
  sql<boolean>`coalesce(${sql.join(tables.map(table => sql.ref(`${table}.${name}`)))}) is null`;

/** Returns the ids of an event's functions, with the event locked, so that there are no more. */
export const functionsOf = async (eventId: number, { kysely }: Transaction): Promise<readonly number[]> => {
  const rows = await kysely.selectFrom('event_functions').select('id').where('event_id', '=', eventId).execute();
  return rows.map(({ id }) => id);
};

/** Marks functions of a locked event as updated if they inherit one of its changed times. */
export const touchFunctions = async (
  eventId: number,
  changed: readonly TimeName[],
  transaction: Transaction,
): Promise<void> => {
  if (changed.length === 0) return;
  // Most are locked already; the others were added before the event was locked.
  await lockFunctions(await functionsOf(eventId, transaction), transaction, { late: true });
  await transaction.kysely
    .updateTable('event_functions')
    .set({ updated_at: now })
    .where('event_id', '=', eventId)
    .where(({ eb, or }) => or(changed.map(name => eb(name, 'is', null))))
    .returning(changedFields(Object.fromEntries(changed.map(name => [name, inherits(name, ['event_functions'])]))))
    .execute();
};
