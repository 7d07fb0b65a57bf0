import { sql } from 'kysely';
import { JOBS, queues } from '../queue.ts';
import type { Definitions } from '../schema.ts';

/** Its own transaction is this one. */
const framing = /^\s*(?:BEGIN|COMMIT|SET LOCAL [^;]*);/gm;

/**
 * What failed for a reason of this side is tried again, later and later; an attempt whose process has died is noticed by its missing
 * heartbeat. (The receiver's reasons are the deliveries' own affair.)
 */
const options = {
  policy: 'standard',
  retryLimit: 50,
  retryDelay: 10,
  retryBackoff: true,
  retryDelayMax: 3600,
  expireInSeconds: 300,
  heartbeatSeconds: 30,
  retentionSeconds: 30 * 86_400,
  deleteAfterSeconds: 86_400,
};

/** The tables of the job queue (pg-boss), which no tenant can reach. */
export const up = async (db: Definitions): Promise<void> => {
  // Loading the library takes a while, and it is for those only who migrate or work.
  const { getConstructionPlans } = await import('pg-boss');
  await sql.raw(getConstructionPlans(JOBS).replaceAll(framing, '')).execute(db);
  for (const name of Object.values(queues))
    await sql`select ${sql.id(JOBS, 'create_queue')}(${name}::text, ${JSON.stringify(options)}::jsonb)`.execute(db);
};
