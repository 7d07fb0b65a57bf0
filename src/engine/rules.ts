import type { Call } from '../core/call/call.ts';
import { ApiError, type FieldError, isErrorCode, validationFailed } from '../core/errors.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { ReadPlan, Supplement } from '../query/plan.ts';
import type { Values } from './body.ts';
import type { Services } from './services.ts';

/** A write on its way: `before` null on create, `after` null on delete; stored fields as JSON values. */
export interface RecordChange {
  readonly before: Values | null;
  readonly after: Values | null;
}

/** What a listing is read with that the database does not know. */
export interface Supply {
  /** JSON; null: nothing. */
  readonly given: string | null;
  readonly supplement: Supplement | null;
}

/** What a check says: all that stands against the write, and what `follow` goes on with. */
export interface Findings<Found = unknown> {
  readonly errors: readonly FieldError[];
  readonly found?: Found | undefined;
  /** What a record that is added copies from others, in columns that are none of its fields. */
  readonly copied?: Readonly<Record<string, number>> | undefined;
}

/**
 * What must be true of a resource's writes, what follows from them, and what listings show.
 * A resource has them in src/resources/<name>/rules.ts if its model says so in the spec. `Found` is what the check hands on.
 */
export interface Rules<Found = unknown> {
  /**
   * Whether no write is judged by other records of the resource.
   * An import then writes many at the same time. So it is for a resource without rules.
   */
  readonly independent?: true;
  /**
   * Waits, where a listing is asked to, until its records are as they should be.
   * @returns whether it has waited: the caller is then confirmed before the listing is read
   */
  ready?(call: Call, db: TenantDb, services: Pick<Services, 'wakeups'>): Promise<boolean>;
  /**
   * Returns the headers that say how the records of a listing are; read before them.
   * Such a listing is not kept for repetitions.
   */
  headers?(db: TenantDb): Promise<Readonly<Record<string, string>>>;
  /**
   * Returns the call of a listing with the fields that may be shown, where other records decide.
   * It has filters for parameters of its own.
   * @throws ApiError if the records cannot be listed
   */
  view?(call: Call, db: TenantDb): Promise<Call>;
  /**
   * Reads what the function of the resource is called with, in the snapshot of the listing.
   * @param plan what is asked for; without a limit: all records
   * @returns JSON, and the values of a field that the server has
   */
  supply?(call: Call, transaction: Transaction, plan: ReadPlan): Promise<Supply>;
  /**
   * Takes locks on other records that come before the lock on the record itself.
   * Several are taken in one order. `id` null: a new record. Nothing is known of the body yet but that it is an object.
   */
  lock?(target: { readonly id: number | null; readonly body: Values }, transaction: Transaction): Promise<void>;
  /** Returns the id of the record that a create would repeat, which is returned (200); null: it is new. */
  known?(values: Values, transaction: Transaction): Promise<number | null>;
  /** Runs before the write, in its transaction. */
  check?(change: RecordChange, transaction: Transaction, call: Call): Promise<Findings<Found>>;
  /** Removes the records that belong to a record, before it is removed itself. */
  clear?(id: number, transaction: Transaction): Promise<void>;
  /** Does what follows from forgetting a person (`anonymize`), with the locks before the record's. */
  forget?(id: number, transaction: Transaction, call: Call): Promise<void>;
  /** Does what follows from the write, in its transaction. `after` has the id of a created record. */
  follow?(change: RecordChange, transaction: Transaction, call: Call, found: Found | undefined): Promise<void>;
}

/**
 * Checks a write by the rules.
 * @returns what they found
 * @throws ApiError validation_failed (422); of a deletion, whose request has no fields,
 *   the first error as a response of its own (409), if the catalogue has its code
 */
export const judge = async (
  rules: Rules,
  change: RecordChange,
  transaction: Transaction,
  call: Call,
): Promise<Findings> => {
  const findings = (await rules.check?.(change, transaction, call)) ?? { errors: [] };
  const [error] = findings.errors;
  if (error) throw change.after ? validationFailed(findings.errors) : conflict(error);
  return findings;
};

const conflict = (error: FieldError): ApiError =>
  isErrorCode(error.code) ? new ApiError(error.code, { message: error.message }) : validationFailed([error]);
