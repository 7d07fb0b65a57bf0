import type { TenantDb } from './database.ts';

/** The same database, but for what is written: its transactions run as ever and are rolled back at their end. */
export const rehearse = (db: TenantDb): TenantDb => ({
  ...db,
  transaction: work =>
    resultOf(() =>
      db.transaction(async transaction => {
        throw new Rehearsed(await work(transaction));
      }),
    ),
  joined: work =>
    resultOf(() =>
      db.joined(async (parts, transaction) => {
        throw new Rehearsed(await work(parts, transaction));
      }),
    ),
});

/** Carries the result out of the transaction that it rolls back. */
class Rehearsed extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('Rolled back, as asked for.');
    this.result = result;
  }
}

const resultOf = async <T>(run: () => Promise<never>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T;
    throw error;
  }
};
