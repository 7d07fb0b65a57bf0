import type { TenantDb } from './database.ts';

/** Returns the database with all transactions rolled back at their end instead of committed (for `dry_run`). */
export const rehearse = (db: TenantDb): TenantDb => ({
  ...db,
  rehearsed: true,
  proving: proof => rehearse(db.proving(proof)),
  get proved() {
    return db.proved;
  },
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

/** Thrown to roll back a transaction; carries its result. */
class Rehearsed extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('The transaction was rolled back, as requested.');
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
