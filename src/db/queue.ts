import type { Pool } from './connection.ts';
import { plain } from './enter.ts';
import { rowsOf } from './kysely.ts';
import { parserOf, timestampOf } from './values.ts';

/** The database schema of the job queue's tables. */
export const JOBS = 'jobs';

/** The names of the queues. */
export const queues = {
  /** Each job delivers one message of an automation. */
  deliveries: 'deliveries',
  /** Checks once a minute for events that automations wait for. */
  scan: 'scan',
} as const;

/** The interface of the job queue's library: it runs statements in the role of the login. */
export interface QueueDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Maximum milliseconds that a statement of the queue may take. */
const DEADLINE = 60_000;

/** Returns the interface of the job queue's library. Each statement uses any free connection. */
export const queueDatabase = (pool: Pool): QueueDatabase => ({
  async executeSql(text, values = []) {
    const connection = await pool.connect(Number.POSITIVE_INFINITY);
    try {
      const results = await connection.send([{ name: null, text, values }], DEADLINE);
      return { rows: results.flatMap(result => rowsOf<Record<string, unknown>>(result, parserWithDates)) };
    } catch (error) {
      // The statement text may have begun a transaction, which must end before the connection is reused.
      await connection.send([plain('rollback')], DEADLINE).catch(() => {});
      throw error;
    } finally {
      connection.release();
    }
  },
});

/**
 * Returns all claimed jobs to their queues, where each counts as attempted and is due at once.
 * Only where whoever has claimed them has certainly ended.
 */
export const returnClaimed = async (database: QueueDatabase): Promise<void> => {
  await database.executeSql(`update ${JOBS}.job set state = 'retry', heartbeat_on = null where state = 'active'`);
};

const parserWithDates: typeof parserOf = type => (type === TIMESTAMPTZ ? timestampOf : parserOf(type));

/** Object id of the type timestamptz (PostgreSQL's pg_type.dat). */
const TIMESTAMPTZ = 1184;
