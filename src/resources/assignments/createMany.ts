import { resources } from '../../../generated/resources.ts';
import { type FieldError, invalidField, validationFailed } from '../../core/errors.ts';
import type { Access } from '../../core/resource/access.ts';
import { presentedFinding } from '../../core/resource/findings.ts';
import { judgedAs } from '../../domain/rules/rulebook.ts';
import { presentedWarnings } from '../../domain/rules/shown.ts';
import { type Invited, invite } from '../../domain/staffing/invite.ts';
import { type Action, ok } from '../../engine/action.ts';
import { identifyBody } from '../../engine/references/external-id.ts';
import { bulkIds } from '../../engine/writing/bulk.ts';

const INVITED = 1;

/**
 * POST /assignments/bulk: assigns many employees to an event function and returns a result for each.
 * See docs/decisions.md, "Bookings and places".
 */
export const createMany: Action<'assignments_createMany'> = (call, db) =>
  db.transaction(async transaction => {
    const body = await identifyBody(call, resources.assignments, 'event_function_id', transaction);
    const { event_function_id, status = INVITED, remarks = null } = body;
    const atomic = Boolean(body.atomic);
    const employee_ids = bulkIds(body.employee_ids, 'employee_ids');
    const invitation = { event_function_id, employee_ids, status, remarks, atomic, ...judgedAs(call) };
    const invited = await invite(invitation, transaction);
    if (!invited) {
      const message = `event_function_id: there is no event function ${event_function_id}.`;
      throw invalidField('reference_not_found', 'event_function_id', message);
    }
    const failures = invited.filter(({ errors }) => errors.length > 0);
    if (atomic && failures.length > 0)
      throw validationFailed(
        failures.map(({ employee_id, errors: [error] }) => ({ ...(error as FieldError), employee_id })),
      );
    return ok({
      requested: invited.length,
      created: invited.length - failures.length,
      failed: failures.length,
      results: invited.map(outcome => resultOf(outcome, call.principal.apiUser)),
    });
  });

const resultOf = ({ employee_id, assignment_id, errors: [error], warned }: Invited, apiUser: Access) => {
  if (!error) return { employee_id, result: 'created' as const, assignment_id, ...presentedWarnings(warned, apiUser) };
  const { code, field, message } = presentedFinding(error, apiUser);
  return { employee_id, result: 'failed' as const, assignment_id, error: { code, field, message } };
};
