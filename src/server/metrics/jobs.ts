import { sql } from 'kysely';
import type { Database } from '../../db/open.ts';
import { JOBS } from '../../db/queue.ts';

/** Returns the number of jobs in each state; none if the database does not respond. */
export const countJobs = async ({
  system,
}: Pick<Database, 'system'>): Promise<readonly (readonly [state: string, count: number])[]> => {
  const counting = sql<{ state: string; count: number }>`
    select state::text as state, count(*)::integer as count from ${sql.table(`${JOBS}.job`)} group by state`;
  const { rows } = await counting.execute(system).catch(() => ({ rows: [] }));
  return rows.map(({ state, count }) => [state, count] as const);
};
