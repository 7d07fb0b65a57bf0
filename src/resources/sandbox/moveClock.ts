import { sql } from 'kysely';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import { dateTimeExpected, parseInstant } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import { type Action, ok } from '../../engine/action.ts';

/** PUT /sandbox/clock: moves the clock forward and runs what becomes due on the way. */
export const moveClock: Action<'sandbox_moveClock'> = (call, db, services) =>
  db.transaction(async transaction => {
    const { tenant } = transaction;
    const given = call.body.now;
    const range = await rangeOf(transaction);
    const now = given === undefined ? range.now : parseInstant(given, tenant.timeZone);
    const error = checkMoment(now, range);
    if (error) throw validationFailed([error]);
    if (given !== undefined) await storeMove(String(now), transaction);
    const followUp = async () => {
      if (!(await services.moveClock(tenant.id))) throw new ApiError('tenant_disabled');
    };
    return { ...ok({ now: String(now) }), followUp };
  });

/** Stores what the clock is to be moved to, unless that is later already. */
const storeMove = (due: string, { kysely }: Transaction) =>
  kysely
    .insertInto('clock_moves')
    .values({ id: 1, due })
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'id']).doUpdateSet({ due: sql`greatest(clock_moves.due, excluded.due)` }),
    )
    .execute();

/** The moments that the clock can be moved to. */
interface Range {
  readonly now: string;
  readonly end: string;
}

/** Years. */
const FARTHEST = 10;

const rangeOf = ({ kysely }: Transaction): Promise<Range> =>
  kysely
    .selectNoFrom([
      sql<string>`date_trunc('second', tenant_now())`.as('now'),
      sql<string>`date_trunc('second', now() + make_interval(years => ${FARTHEST}::integer))`.as('end'),
    ])
    .executeTakeFirstOrThrow();

const checkMoment = (moment: string | null, { now, end }: Range): FieldError | null => {
  if (moment === null) return fieldError('invalid_format', 'now', `now: ${dateTimeExpected}.`);
  if (Date.parse(moment) < Date.parse(now))
    return fieldError('out_of_range', 'now', `now: the clock shows ${now} and moves forward only.`);
  if (Date.parse(moment) > Date.parse(end))
    return fieldError('out_of_range', 'now', `now: a sandbox is at most ${FARTHEST} years ahead: until ${end}.`);
  return null;
};
