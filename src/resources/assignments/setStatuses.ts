import { resources } from '../../../generated/resources.ts';
import { dryRun } from '../../core/call/switch.ts';
import { fieldError, invalidField } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { judgedAs } from '../../domain/rules/rulebook.ts';
import { presentedWarnings } from '../../domain/rules/shown.ts';
import { changeStatus, type StatusOutcome } from '../../domain/staffing/change-status.ts';
import { type Action, type ActionCall, ok } from '../../engine/action.ts';
import { BULK_LIMIT, bulkIds, bulkReport } from '../../engine/writing/bulk.ts';
import { plan } from '../../query/plan.ts';
import { parseQuery } from '../../query/query.ts';
import { readPageIn } from '../../query/read.ts';

type BulkCall = ActionCall<'assignments_setStatuses'>;

const IDS = 'assignment_ids';
const EITHER = 'Specify the assignments either by assignment_ids or by filters, not by both.';
const own = new Set(['force', dryRun]);

/**
 * PUT /assignments/status: changes the status of many assignments and returns a result for each.
 * See docs/decisions.md, "Bulk operations".
 */
export const setStatuses: Action<'assignments_setStatuses'> = async (call, db) =>
  db.transaction(async transaction => {
    const { status: to, remarks, atomic } = call.body;
    const ids = bulkIds(await scope(call, transaction), IDS);
    const { apiUser } = call.principal;
    const request = { ids, to, remarks, atomic: Boolean(atomic), ...judgedAs(call) };
    const outcomes = (await changeStatus(request, transaction)).map(withReason);
    const more = ({ from, to, warned }: StatusOutcome) => ({ from, to, ...presentedWarnings(warned, apiUser) });
    return ok({ status: to, ...bulkReport('assignment_id', outcomes, Boolean(atomic), apiUser, more) });
  });

/** Returns the ids of the assignments. Ids beside filters are rejected. */
const scope = async (call: BulkCall, transaction: Transaction): Promise<readonly number[]> => {
  const filters = call.parameters.filter(([name]) => !own.has(name));
  const { assignment_ids: ids } = call.body;
  if (ids && filters.length > 0) throw invalidField('scope_required', IDS, EITHER);
  if (ids) return ids;
  if (filters.length === 0) throw invalidField('scope_required', IDS);
  const query = parseQuery([...filters, ['fields', 'id'], ['limit', String(BULK_LIMIT + 1)]]);
  const { representation } = await readPageIn(plan(query, resources.assignments, call), transaction);
  return representation.records.map(cells => Number(cells.text(0)));
};

/** Returns the outcome; one that failed without a reason has no assignment. */
const withReason = (outcome: StatusOutcome): StatusOutcome => {
  if (outcome.result !== 'failed' || outcome.errors.length > 0) return outcome;
  return { ...outcome, errors: [fieldError('reference_not_found', IDS, `There is no assignment ${outcome.id}.`)] };
};
