import { readFileSync } from 'node:fs';
import type { TenantDb } from '../../../src/db/database.ts';

/**
 * Returns a clock of the time that the connection's process on the server computes, in milliseconds.
 * Where the server is not on this machine, a clock of the time that passes.
 * @param db of a database with a pool of one connection
 */
export const clockOf = async (db: TenantDb): Promise<() => number> => {
  const [result] = await db.read({ name: null, text: 'select pg_backend_pid()', values: [] });
  const path = `/proc/${result?.rows[0]?.[0]}/schedstat`;
  const computed = () => Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6;
  try {
    computed();
    return computed;
  } catch {
    return () => performance.now();
  }
};
