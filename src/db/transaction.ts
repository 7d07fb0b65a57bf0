import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Pool, RawResult, RawStatement } from './connection.ts';
import { COMMIT, plain, WRITE } from './enter.ts';
import { DatabaseError, isStalePlan } from './errors.ts';
import type { TurnOwner } from './pool/turns.ts';
import { type Opening, Trips } from './trips.ts';

const RETRIES = 3;

/**
 * Calls `use` with a connection, then releases it; the signal's abort cancels the current statement.
 * Calls it again after a conflict with other transactions, with random and increasing pauses.
 * @throws DatabaseError `unavailable` after three retries
 */
export const withConnection = async <T>(
  pool: Pool,
  owner: TurnOwner,
  signal: AbortSignal | undefined,
  use: (connection: Connection) => Promise<T>,
): Promise<T> => {
  for (let run = 0; ; run++) {
    const connection = await pool.connect(undefined, owner);
    const cancel = () => connection.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      if (signal?.aborted) throw new DatabaseError('timeout', signal.reason);
      return await use(connection);
    } catch (error) {
      if (!(error instanceof DatabaseError && error.kind === 'conflict')) throw error;
      if (run === RETRIES) throw new DatabaseError('unavailable', error);
    } finally {
      signal?.removeEventListener('abort', cancel);
      connection.release();
    }
    await sleep(Math.random() * 20 * 2 ** run);
  }
};

/**
 * Runs `work` in a transaction, which is rolled back if it throws or a statement failed.
 * Retried at most three times after a conflict with other transactions.
 * @param signal cancels the transaction; only for transactions that do not write.
 * @throws DatabaseError `unavailable` if every attempt met a conflict.
 */
export const transact = async <T>(
  pool: Pool,
  opening: Opening,
  work: (trips: Trips) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  let missed: readonly RawStatement[] = [];
  const result = await withConnection(pool, opening.owner, signal, async connection => {
    const trips = new Trips(connection, opening);
    try {
      const result = await work(trips).finally(() => trips.settle());
      if (trips.failure) throw trips.failure;
      await trips.commit();
      if (trips.afterwards.length > 0) missed = await follow(connection, opening, trips.afterwards);
      return result;
    } catch (error) {
      trips.abandon(error);
      if (trips.begun) await connection.send([plain('rollback')], opening.deadline).catch(() => {});
      trips.rolledBack();
      // A conflict is retried, whatever error `work` has turned it into.
      throw trips.failure?.kind === 'conflict' ? trips.failure : error;
    }
  });
  // Once more, on another connection: the first one may have ended after the commit.
  if (missed.length > 0) missed = await followAgain(pool, opening, missed);
  if (missed.length > 0) void followLater(pool, opening, missed);
  return result;
};

/** Milliseconds between further attempts to send what follows a transaction: two minutes in all. */
const PAUSES = [1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 56_000];

/** Sends what follows a transaction when the database can be reached again; nobody waits for it. */
const followLater = async (pool: Pool, opening: Opening, statements: readonly RawStatement[]): Promise<void> => {
  let missed = statements;
  for (const pause of PAUSES) {
    await sleep(pause, undefined, { ref: false });
    missed = await followAgain(pool, opening, missed);
    if (missed.length === 0) return;
  }
};

/** Sends what follows a transaction on another connection. @returns what could not be done */
const followAgain = (pool: Pool, opening: Opening, missed: readonly RawStatement[]): Promise<readonly RawStatement[]> =>
  withConnection(pool, opening.owner, undefined, other => follow(other, opening, missed)).catch(() => missed);

/** Sends what follows a transaction, whose outcome it leaves alone. @returns what could not be done */
const follow = async (
  connection: Connection,
  { entering = [], deadline }: Opening,
  statements: readonly RawStatement[],
): Promise<readonly RawStatement[]> => {
  try {
    await connection.send([...entering, ...statements, COMMIT], deadline);
    return [];
  } catch {
    await connection.send([plain('rollback')], deadline).catch(() => {});
    return statements;
  }
};

/**
 * Sends one reading statement in a transaction of its own, and again if the schema has changed since.
 * The transaction is explicit: on a distributed database, what the statement sets reaches other nodes only within one.
 * @throws DatabaseError `unavailable` also after a conflict with other transactions
 */
export const askOnce = (
  pool: Pool,
  statement: RawStatement,
  { owner, deadline }: Pick<Opening, 'owner' | 'deadline'>,
): Promise<RawResult> =>
  withConnection(pool, owner, undefined, async connection => {
    const [, result] = await connection.send(alone(statement), deadline).catch((error: unknown) => {
      throw error instanceof DatabaseError ? notRepeated(error) : error;
    });
    return result as RawResult;
  });

/** Returns a statement that enters tenants by itself, in a transaction of its own. */
export const alone = (statement: RawStatement): readonly RawStatement[] => [WRITE, statement, COMMIT];

/** Returns the error of a statement that is not repeated after a conflict, unless its plan was stale. */
export const notRepeated = (error: DatabaseError): DatabaseError =>
  error.kind === 'conflict' && !isStalePlan(error.cause) ? new DatabaseError('unavailable', error) : error;
