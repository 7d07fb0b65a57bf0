import { resources } from '../../../generated/resources.ts';
import { dryRun, isOn } from '../../core/call/switch.ts';
import { type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import type { Access } from '../../core/resource/access.ts';
import { presentedFinding } from '../../core/resource/findings.ts';
import type { Transaction } from '../../db/database.ts';
import { rulebookOf } from '../../domain/rules/rulebook.ts';
import { presentedBreach } from '../../domain/rules/shown.ts';
import { changeStatus, type StatusOutcome } from '../../domain/staffing/change-status.ts';
import { type Action, type ActionCall, ok } from '../../engine/action.ts';
import { plan } from '../../query/plan.ts';
import { parseQuery } from '../../query/query.ts';
import { readPageIn } from '../../query/read.ts';

type BulkCall = ActionCall<'assignments_setStatuses'>;

const LIMIT = 500;
const own = new Set(['force', dryRun]);

/**
 * PUT /assignments/status: changes the status of many assignments and returns a result for each.
 * See docs/decisions.md, "Bulk operations".
 */
export const setStatuses: Action<'assignments_setStatuses'> = async (call, db) =>
  db.transaction(async transaction => {
    const { status: to, remarks, atomic } = call.body;
    const ids = await scope(call, transaction);
    if (ids.length > LIMIT) throw validationFailed([fieldError('too_many_items', 'assignment_ids')]);
    const apiUserId = call.principal.apiUser.id;
    const force = isOn(call.parameters, 'force');
    const rulebook = rulebookOf(call.fields, call.principal.tenant, call.principal.apiUser);
    const request = { ids, to, remarks, force, atomic: Boolean(atomic), rulebook, apiUserId };
    const outcomes = await changeStatus(request, transaction);
    const results = outcomes.map(outcome => resultOf(outcome, call.principal.apiUser));
    const failures = outcomes.filter(({ result }) => result === 'failed');
    if (atomic && failures.length > 0)
      throw validationFailed(failures.map(failure => ({ ...reason(failure), assignment_id: failure.id })));
    const count = (result: StatusOutcome['result']): number =>
      outcomes.filter(outcome => outcome.result === result).length;
    return ok({
      status: to,
      requested: ids.length,
      changed: count('changed'),
      unchanged: count('unchanged'),
      failed: count('failed'),
      results,
    });
  });

/** Returns the ids of the assignments, without duplicates. Ids beside filters are rejected. */
const scope = async (call: BulkCall, transaction: Transaction): Promise<readonly number[]> => {
  const filters = call.parameters.filter(([name]) => !own.has(name));
  const { assignment_ids: ids } = call.body;
  if (ids && filters.length > 0)
    throw validationFailed([
      fieldError(
        'scope_required',
        'assignment_ids',
        'Specify the assignments either by assignment_ids or by filters, not by both.',
      ),
    ]);
  if (ids) return [...new Set(ids)];
  if (filters.length === 0) throw validationFailed([fieldError('scope_required', 'assignment_ids')]);
  const query = parseQuery([...filters, ['fields', 'id'], ['limit', String(LIMIT + 1)]]);
  const { representation } = await readPageIn(plan(query, resources.assignments, call), transaction);
  return representation.records.map(cells => Number(cells.text(0)));
};

const reason = ({ id, errors }: StatusOutcome): FieldError =>
  errors[0] ?? fieldError('reference_not_found', 'assignment_ids', `There is no assignment ${id}.`);

const resultOf = (outcome: StatusOutcome, apiUser: Access) => {
  const { id: assignment_id, result, from, to, warned } = outcome;
  const warnings = warned.length > 0 ? { warnings: warned.map(breach => presentedBreach(breach, apiUser)) } : {};
  if (result !== 'failed') return { assignment_id, result, from, to, ...warnings };
  const { code, field, message } = presentedFinding(reason(outcome), apiUser);
  return { assignment_id, result, from, to, error: { code, field, message } };
};
