import type { RawResult, RawStatement } from '../connection.ts';
import { plain } from '../enter.ts';
import type { Session } from './session.ts';

/** Returns whether the tables of tenants are distributed (Citus). @throws Error if it fails */
export const findDistribution = async (session: Session): Promise<boolean> => {
  const { results, failure } = await session.send([
    plain("select exists (select from pg_extension where extname = 'citus')"),
  ]);
  if (failure) throw failure.error;
  return results[0]?.rows[0]?.[0] === 't';
};

/**
 * Sends statements as a distributed database needs them, and returns the result of each.
 * One that follows from the results of others begins a trip.
 */
export const sendDistributed = async (
  statements: readonly RawStatement[],
  send: (trip: readonly RawStatement[]) => Promise<readonly RawResult[]>,
): Promise<readonly RawResult[]> => {
  const results: RawResult[] = [];
  let trip: RawStatement[] = [];
  for (const { distributed, ...statement } of statements) {
    if (typeof distributed !== 'function') {
      trip.push(distributed ?? statement);
      continue;
    }
    results.push(...(await send(trip)));
    trip = [distributed(results)];
  }
  return [...results, ...(await send(trip))];
};
