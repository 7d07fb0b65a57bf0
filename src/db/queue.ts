import type { Pool, RawResult } from './connection.ts';
import { parserOf } from './values.ts';

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
      return { rows: results.flatMap(rowsOf) };
    } catch (error) {
      // The statement text may have begun a transaction, which must end before the connection is reused.
      await connection.send([{ name: null, text: 'rollback', values: [] }], DEADLINE).catch(() => {});
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

const rowsOf = ({ columns, types, rows }: RawResult): Record<string, unknown>[] =>
  rows.map(row =>
    Object.fromEntries(columns.map((column, index) => [column, parse(types[index] as number, row[index] ?? null)])),
  );

const parse = (type: number, text: string | null): unknown => {
  if (text === null) return null;
  if (type === TIMESTAMPTZ) return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
  const known = parserOf(type);
  return known ? known(text) : text;
};

/** Object id of the type timestamptz (PostgreSQL's pg_type.dat). */
const TIMESTAMPTZ = 1184;
