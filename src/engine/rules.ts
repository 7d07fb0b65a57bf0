import { rules } from '../../generated/rules.ts';
import type { Call } from '../core/call.ts';
import type { FieldError } from '../core/errors.ts';
import type { Resource } from '../core/resource.ts';
import type { Transaction } from '../db/database.ts';
import type { Values } from './body.ts';

/** A write on its way: `before` null on create, `after` null on delete. Stored fields only, as JSON values. */
export interface Change {
  readonly before: Values | null;
  readonly after: Values | null;
}

/**
 * What must be true of a resource's writes beyond its fields' own rules. A resource has them in src/resources/<name>/rules.ts if its
 * model says so in the spec.
 */
export interface Rules {
  /**
   * Takes locks on other records that must come before the lock on the record itself, where several are taken in one order.
   * `id` null: a new record. Nothing is known of the body yet but that it is an object.
   */
  lock?(target: { readonly id: number | null; readonly body: Values }, transaction: Transaction): Promise<void>;
  /** The id of the record that a create would only repeat, and that answers in its place (200); null: it is new. */
  known?(values: Values, transaction: Transaction): Promise<number | null>;
  /** Everything that stands against the write; runs before it, in its transaction. */
  check(change: Change, transaction: Transaction, call: Call): Promise<readonly FieldError[]>;
  /** What follows from the write; runs after it, in its transaction. `after` carries the id of a created record. */
  follow(change: Change, transaction: Transaction, call: Call): Promise<void>;
}

const none: Rules = { check: async () => [], follow: async () => {} };

/** The rules of a resource; none for most. */
export const rulesOf = ({ name }: Resource): Rules => (rules as Readonly<Record<string, Rules>>)[name] ?? none;
