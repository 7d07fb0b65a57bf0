import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';

const given = new WeakMap<Transaction, Json[]>();

/** Adds warnings to the response that ends with what the transaction shows. */
export const warn = (warnings: readonly Json[], transaction: Transaction): void => {
  if (warnings.length > 0) given.set(transaction, [...warningsOf(transaction), ...warnings]);
};

/** Returns the warnings of a transaction. */
export const warningsOf = (transaction: Transaction): readonly Json[] => given.get(transaction) ?? [];

/** The most warnings that the header names, and its most bytes. */
const limits = { count: 10, bytes: 4096 };

/** Returns the header with the warnings of a transaction; none without warnings. They are ASCII. */
export const warningHeaders = (transaction: Transaction): Readonly<Record<string, string>> => {
  const warnings = warningsOf(transaction);
  if (warnings.length === 0) return {};
  for (let count = Math.min(warnings.length, limits.count); ; count--) {
    const more = warnings.length - count;
    const text = JSON.stringify([...warnings.slice(0, count), ...(more > 0 ? [{ more }] : [])]);
    if (text.length <= limits.bytes || count === 0) return { 'x-warnings': text };
  }
};
