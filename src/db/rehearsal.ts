import type { TenantDb, Transaction } from './database.ts';

/** The same database, but for what is written: its transactions run as ever and are rolled back at their end. */
export const rehearse = (db: TenantDb): TenantDb => ({
  ...db,
  transaction: async <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> => {
    try {
      return await db.transaction<T>(async transaction => {
        throw new Rehearsed(await work(transaction));
      });
    } catch (error) {
      if (error instanceof Rehearsed) return error.result as T;
      throw error;
    }
  },
});

/** Carries the result out of the transaction that it rolls back. */
class Rehearsed extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('Rolled back, as asked for.');
    this.result = result;
  }
}
