import { expressionBuilder, type RawBuilder, sql } from 'kysely';
import { eventClosed } from '../../../generated/status-sets.ts';
import type { Tables } from '../../../generated/tables.ts';
import type { Transaction } from '../../db/database.ts';
import type { Occurrence } from './trigger.ts';

/** A record that is about to start and triggers an automation. */
export interface Subject {
  readonly id: number;
  readonly start: string;
  readonly data: Occurrence;
}

/** Milliseconds for which a missed start is still caught up on. */
const grace = 3_600_000;
const minute = 60_000;

const at = (time: number): string => new Date(time).toISOString();

/** Builds the condition that a record with this start has not triggered the automation yet. */
const hasNotTriggered = (automationId: number, id: RawBuilder<number>, start: RawBuilder<string>) => {
  const { not, exists, selectFrom } = expressionBuilder<Tables>();
  return not(
    exists(
      selectFrom('automation_occurrences as o')
        .select('o.id')
        .where('o.automation_id', '=', automationId)
        .where('o.subject_id', '=', id)
        .where('o.start', '=', start),
    ),
  );
};

/**
 * The events that start within `minutes` and have not triggered the automation yet.
 * Includes starts that have just passed, if the automation had the trigger (`since`) by then.
 */
export const dueEvents = async (
  automation: { readonly id: number; readonly since: string; readonly minutes: number },
  now: Date,
  transaction: Pick<Transaction, 'kysely'>,
): Promise<readonly Subject[]> => {
  const time = now.getTime();
  const rows = await transaction.kysely
    .selectFrom('events as e')
    .select(['e.id', 'e.name', 'e.start'])
    .where('e.start', '<=', at(time + automation.minutes * minute))
    .where('e.start', '>', at(time - grace))
    .where(({ eb, or }) => or([eb('e.start', '>', at(time)), eb('e.start', '>=', automation.since)]))
    .where('e.status', 'not in', eventClosed)
    .where(hasNotTriggered(automation.id, sql.ref('e.id'), sql.ref('e.start')))
    .orderBy('e.id')
    .execute();
  return rows.map(({ id, name, start }) => ({ id, start, data: { event_id: id, name, start } }));
};

/**
 * Functions with open places that start within `minutes` (null: any time) and have not triggered yet.
 * With 0 minutes those that start now, or have just started, if the automation had the trigger (`since`) by then.
 */
export const dueFunctions = async (
  automation: { readonly id: number; readonly since: string; readonly minutes: number | null },
  now: Date,
  { kysely }: Pick<Transaction, 'kysely'>,
): Promise<readonly Subject[]> => {
  const time = now.getTime();
  const { minutes, since } = automation;
  const atStart = minutes === 0;
  const startingAt = (start: 'f.start' | 'e.start') =>
    kysely
      .selectFrom('event_functions as f')
      .innerJoin('events as e', 'e.id', 'f.event_id')
      .select(['f.id', 'f.event_id', 'f.quantity', 'f.holding', sql.ref<string>(start).as('start')])
      .where('e.status', 'not in', eventClosed)
      .whereRef('f.holding', '<', 'f.quantity')
      .where(start, '>', at(atStart ? time - grace : time))
      .$if(atStart, query => query.where(start, '>=', since))
      // Without it, Postgres expects many.
      .$if(minutes !== null, query => query.where(start, '<=', at(time + (minutes ?? 0) * minute)))
      .where(hasNotTriggered(automation.id, sql.ref('f.id'), sql.ref(start)));
  // Apart, each by an index: no index has the first of two values.
  const rows = await startingAt('f.start')
    .unionAll(startingAt('e.start').where('f.start', 'is', null))
    .orderBy('id')
    .execute();
  return rows.map(({ id, event_id, quantity, holding, start }) => ({
    id,
    start,
    data: { event_function_id: id, event_id, start, quantity, holding, open: quantity - holding },
  }));
};

/** Removes the marks of filled functions, so that open places trigger automations again. */
export const resetFilled = async ({ kysely }: Pick<Transaction, 'kysely'>): Promise<void> => {
  await kysely
    .deleteFrom('automation_occurrences')
    .where('automation_id', 'in', query =>
      query.selectFrom('automations').select('id').where('trigger_type', '=', 'function.understaffed'),
    )
    .where('subject_id', 'in', query =>
      query.selectFrom('event_functions').select('id').whereRef('holding', '>=', 'quantity'),
    )
    .execute();
};
