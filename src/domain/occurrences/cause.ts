import type { Transaction } from '../../db/database.ts';

/** The automation that causes a transaction's changes. */
export interface Cause {
  readonly automationId: number;
  /** Length of the chain of automations that led to it, itself included. */
  readonly depth: number;
}

const causes = new WeakMap<Transaction, Cause>();

/** Sets the automation that causes the transaction's subsequent changes. */
export const actAs = (cause: Cause, transaction: Transaction): void => void causes.set(transaction, cause);

/** Returns the automation that causes the transaction's changes, or null. */
export const causeOf = (transaction: Transaction): Cause | null => causes.get(transaction) ?? null;
