import { sql } from 'kysely';
import type { Transaction } from '../db/database.ts';
import type { Values } from '../resource/body.ts';
import type { Rules } from '../resource/rules.ts';

/** Keeps the number of places that an event offers, and of those filled, which its statistics show. */
export const eventFunctions: Rules = {
  check: async () => [],
  follow: async ({ before, after }, transaction) => {
    if (before && after && before.event_id === after.event_id && before.quantity === after.quantity) return;
    await add(before, -1, transaction);
    await add(after, 1, transaction);
  },
};

/** What was removed or just made holds no assignment; what moves to another event takes its filled places with it. */
const add = async (eventFunction: Values | null, sign: 1 | -1, transaction: Transaction): Promise<void> => {
  if (!eventFunction) return;
  const row = await transaction.kysely
    .selectFrom('event_functions')
    .select('holding')
    .where('id', '=', Number(eventFunction.id))
    .executeTakeFirst();
  await transaction.kysely
    .updateTable('events')
    .set({
      quantity: sql<number>`quantity + ${sign * Number(eventFunction.quantity)}`,
      holding: sql<number>`holding + ${sign * (row?.holding ?? 0)}`,
    })
    .where('id', '=', Number(eventFunction.event_id))
    .execute();
};
