import { resources } from '../../../generated/resources.ts';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import { now } from '../../db/now.ts';
import type { Action } from '../../engine/action.ts';
import { putChanges, resolve, type Target, type Wanted } from './changes.ts';
import { showRequest } from './values.ts';

const OPEN = 1;
const ACCEPTED = 2;

/** PUT /change-requests/{id}/decision: makes the changes of an open request, or rejects them. */
export const decide: Action<'changeRequests_decide'> = (call, db, { put }) =>
  db.joined(async (parts, transaction) => {
    const { id, body } = call;
    const { kysely } = transaction;
    const request = await kysely
      .selectFrom('change_requests')
      .select(['entity', 'entity_id', 'status', 'changes'])
      .where('id', '=', id)
      // Weaker than a lock for removal, so that a removal of the employee who requested it is not waited for.
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!request) throw new ApiError('not_found');
    if (request.status !== OPEN)
      throw validationFailed([fieldError('invalid_transition', 'status', 'The change request has been decided.')]);
    const asked = { ...call, body: {}, params: { id } };
    if (body.status === ACCEPTED) {
      const target = request as Target;
      const set = call.fields.get(resources[target.entity]);
      const { resolved, errors } = resolve(set, request.changes as unknown as readonly Wanted[]);
      const outcome = await putChanges(target, resolved, { put, call: asked, db: parts });
      const failures: readonly FieldError[] = [...errors, ...('errors' in outcome ? outcome.errors : [])];
      if (failures.length > 0) throw validationFailed(failures);
    }
    await kysely
      .updateTable('change_requests')
      .set({ status: body.status, decided_at: now })
      .where('id', '=', id)
      .execute();
    return showRequest(id, asked, transaction);
  });
