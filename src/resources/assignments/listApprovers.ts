import { ApiError } from '../../core/errors.ts';
import { shownApprovers, signingsOf } from '../../domain/work/signing.ts';
import type { Action } from '../../engine/action.ts';

/** GET /assignments/{id}/signed-work-data-approvers: who can sign the work of the assignment. */
export const listApprovers: Action<'assignments_listApprovers'> = ({ id }, db) =>
  db.snapshot(async transaction => {
    const signing = (await signingsOf([id], transaction)).get(id);
    if (!signing) throw new ApiError('not_found');
    return { status: 200, headers: {}, body: { kind: 'value', name: 'approvers', value: shownApprovers(signing) } };
  });
