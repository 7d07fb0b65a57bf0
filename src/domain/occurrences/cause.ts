import type { Transaction } from '../../db/database.ts';

/** The automation that makes a transaction's changes. */
export interface Cause {
  readonly automationId: number;
  /** How many automations in a row have led to it, itself included. */
  readonly depth: number;
}

const causes = new WeakMap<Transaction, Cause>();

/** Says that what the transaction does from now on is an automation's work. */
export const actAs = (cause: Cause, transaction: Transaction): void => void causes.set(transaction, cause);

/** The automation whose work the transaction does; null: it is someone else's. */
export const causeOf = (transaction: Transaction): Cause | null => causes.get(transaction) ?? null;
