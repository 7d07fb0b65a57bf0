import { ApiError } from '../../core/errors.ts';
import { shownApprovers, signingsOf } from '../../domain/work/signing.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/{id}/signed-work-data (deprecated): returns whether and how work is signed. */
export const readSignedWorkData: Action<'assignments_readSignedWorkData'> = ({ id, principal }, db) =>
  db.snapshot(async transaction => {
    const signing = (await signingsOf([id], transaction)).get(id);
    if (!signing) throw new ApiError('not_found');
    const { enabled, methods } = signing;
    return ok({ assignment_id: id, enabled, methods, approvers: shownApprovers(signing, principal.apiUser) });
  });
