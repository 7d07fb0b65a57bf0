import type { TenantDb, Transaction } from './database.ts';

/** Returns the database with transactions that are rolled back at their end (for `dry_run`). */
export const rehearse = (db: TenantDb): TenantDb => ({
  ...db,
  rehearsed: true,
  proving: proof => rehearse(db.proving(proof)),
  as: tenant => rehearse(db.as(tenant)),
  get proved() {
    return db.proved;
  },
  transaction: work =>
    resultOf(() =>
      // As a part of it, which does not end it.
      db.joined(async (_, transaction) => {
        throw await rehearsed(await work(transaction), transaction);
      }),
    ),
  joined: work =>
    resultOf(() =>
      db.joined(async (parts, transaction) => {
        throw await rehearsed(await work(parts, transaction), transaction);
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

/** Sends what has been deferred, which the transaction's end would. */
const rehearsed = async (result: unknown, transaction: Transaction): Promise<Rehearsed> => {
  await transaction.send();
  return new Rehearsed(result);
};

const resultOf = async <T>(run: () => Promise<never>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T;
    throw error;
  }
};
