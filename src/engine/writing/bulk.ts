import { type FieldError, invalidField, validationFailed } from '../../core/errors.ts';
import type { Access } from '../../core/resource/access.ts';
import { presentedFinding } from '../../core/resource/findings.ts';
import type { TenantDb, Transaction } from '../../db/database.ts';

/** What a bulk change does with one record. */
export interface BulkOutcome {
  readonly id: number;
  readonly result: 'changed' | 'unchanged' | 'failed';
  readonly errors: readonly FieldError[];
}

/** The most records of a bulk change. */
export const BULK_LIMIT = 500;

/** Returns ids without duplicates. @throws ApiError validation_failed (422): `too_many_items` */
export const bulkIds = (ids: readonly number[], field: string): readonly number[] => {
  const distinct = [...new Set(ids)];
  if (distinct.length > BULK_LIMIT) throw invalidField('too_many_items', field);
  return distinct;
};

/**
 * Changes records, and leaves those as they were that cannot be changed.
 * What has been written is undone if one of them fails, and the others are written again without it.
 * @param change changes records in a part of the transaction, and returns what has become of each
 * @param atomic whether nothing is written if one fails
 */
export const changeEach = async <Outcome extends BulkOutcome>(
  ids: readonly number[],
  atomic: boolean,
  change: (ids: readonly number[], part: Transaction) => Promise<readonly Outcome[]>,
  parts: TenantDb,
): Promise<readonly Outcome[]> => {
  const failed = new Map<number, Outcome>();
  for (;;) {
    const left = ids.filter(id => !failed.has(id));
    const outcomes = await undoneIfFailed(left, change, parts);
    const done = new Map(outcomes.map(outcome => [outcome.id, outcome]));
    const failures = outcomes.filter(({ result }) => result === 'failed');
    for (const failure of failures) failed.set(failure.id, failure);
    if (failures.length === 0 || atomic) return ids.flatMap(id => failed.get(id) ?? done.get(id) ?? []);
  }
};

/** Thrown to undo what has been written. */
class Undone<Outcome> extends Error {
  readonly outcomes: readonly Outcome[];
  constructor(outcomes: readonly Outcome[]) {
    super('Some records of a bulk change could not be changed.');
    this.outcomes = outcomes;
  }
}

const undoneIfFailed = async <Outcome extends BulkOutcome>(
  ids: readonly number[],
  change: (ids: readonly number[], part: Transaction) => Promise<readonly Outcome[]>,
  parts: TenantDb,
): Promise<readonly Outcome[]> => {
  if (ids.length === 0) return [];
  try {
    return await parts.transaction(async part => {
      const outcomes = await change(ids, part);
      if (outcomes.some(({ result }) => result === 'failed')) throw new Undone(outcomes);
      return outcomes;
    });
  } catch (error) {
    if (error instanceof Undone) return error.outcomes;
    throw error;
  }
};

/**
 * Returns what a bulk change responds: how many have changed, and the result of each.
 * @param key the name of the records' id in results and errors
 * @throws ApiError validation_failed (422) if one has failed and all were to change
 */
export const bulkReport = <Key extends string, Outcome extends BulkOutcome, More extends object = object>(
  key: Key,
  outcomes: readonly Outcome[],
  atomic: boolean,
  apiUser: Access,
  more: (outcome: Outcome) => More,
) => {
  const failures = outcomes.filter(({ result }) => result === 'failed');
  if (atomic && failures.length > 0)
    throw validationFailed(failures.map(({ id, errors: [error] }) => ({ ...(error as FieldError), [key]: id })));
  const count = (wanted: BulkOutcome['result']): number => outcomes.filter(({ result }) => result === wanted).length;
  return {
    requested: outcomes.length,
    changed: count('changed'),
    unchanged: count('unchanged'),
    failed: failures.length,
    results: outcomes.map(outcome => ({
      ...({ [key]: outcome.id } as Readonly<Record<Key, number>>),
      result: outcome.result,
      ...more(outcome),
      ...errorOf(outcome, apiUser),
    })),
  };
};

const errorOf = ({ errors: [error] }: BulkOutcome, apiUser: Access) => {
  if (!error) return {};
  const { code, field, message } = presentedFinding(error, apiUser);
  return { error: { code, field, message } };
};
