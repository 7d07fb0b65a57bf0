import { ApiError } from '../../core/errors.ts';
import { shownApprovers, signingsOf } from '../../domain/work/signing.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/{id}/signed-work-data-approvers: lists who can sign the assignment's work. */
export const listApprovers: Action<'assignments_listApprovers'> = ({ id, principal }, db) =>
  db.snapshot(async transaction => {
    const signing = (await signingsOf([id], transaction)).get(id);
    if (!signing) throw new ApiError('not_found');
    return ok(shownApprovers(signing, principal.apiUser));
  });
