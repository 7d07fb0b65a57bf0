import type { Pool, RawResult } from './connection.ts';
import { parserOf } from './values.ts';

/** The schema of the job queue's own tables. */
export const JOBS = 'jobs';

/** The queues in it. */
export const queues = {
  /** Each job is a delivery of an automation that is to be tried. */
  deliveries: 'deliveries',
  /** Looks once a minute for what automations wait for. */
  scan: 'scan',
} as const;

/** What the job queue's library is given of the database: its own statements, in the role that the connection logged in as. */
export interface QueueDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Milliseconds that one of its statements may take. */
const DEADLINE = 60_000;

/** Statements one by one, each on whichever connection is free: none is held between two of them. */
export const queueDatabase = (pool: Pool): QueueDatabase => ({
  async executeSql(text, values = []) {
    const connection = await pool.connect(Number.POSITIVE_INFINITY);
    try {
      const results = await connection.send([{ name: null, text, values }], DEADLINE);
      return { rows: results.flatMap(rowsOf) };
    } catch (error) {
      // A text may begin a transaction of its own; the connection is to be used again.
      await connection.send([{ name: null, text: 'rollback', values: [] }], DEADLINE).catch(() => {});
      throw error;
    } finally {
      connection.release();
    }
  },
});

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

/** Object id of the type (PostgreSQL's pg_type.dat). */
const TIMESTAMPTZ = 1184;
