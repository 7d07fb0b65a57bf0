import { sql } from 'kysely';
import type { Transaction } from '../db/database.ts';
import type { Values } from '../resource/body.ts';
import type { Change, Rules } from '../resource/rules.ts';

/** Provisionally assigned, assigned, confirmed: the statuses that fill a place. */
const holding = new Set([5, 6, 7]);

/** Keeps the number of filled places of event functions and events, which their statistics show. */
export const assignments: Rules = {
  check: async () => [],
  follow: async ({ before, after }: Change, transaction: Transaction) => {
    const change = places(after) - places(before);
    const eventFunctionId = Number((after ?? before)?.event_function_id);
    if (change === 0) return;
    const { event_id } = await transaction.kysely
      .updateTable('event_functions')
      .set({ holding: sql<number>`holding + ${change}` })
      .where('id', '=', eventFunctionId)
      .returning('event_id')
      .executeTakeFirstOrThrow();
    await transaction.kysely
      .updateTable('events')
      .set({ holding: sql<number>`holding + ${change}` })
      .where('id', '=', event_id)
      .execute();
  },
};

const places = (assignment: Values | null): number => (assignment && holding.has(Number(assignment.status)) ? 1 : 0);
