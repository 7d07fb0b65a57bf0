import { statuses } from '../../../generated/status-map.ts';
import { ApiError } from '../../core/errors.ts';
import { flagOf } from '../../core/resource/codec.ts';
import { rehearse } from '../../db/rehearsal.ts';
import { rulebookOf } from '../../domain/rules/rulebook.ts';
import { takeStaffing } from '../../domain/staffing/locked-staffing.ts';
import { judgeStatus } from '../../domain/staffing/transition.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/{id}/status-map: returns for each status whether a change to it is possible now. */
export const statusMap: Action<'assignments_statusMap'> = ({ id, fields, principal }, db) =>
  // The checks require the locks, although nothing is written.
  rehearse(db).transaction(async transaction => {
    const rulebook = rulebookOf(fields, principal.tenant, principal.apiUser);
    const seat = (await takeStaffing({ assignments: [id] }, rulebook, transaction)).seats.get(id);
    const current = statuses.find(({ value }) => value === seat?.status);
    if (!seat || !current) throw new ApiError('not_found');
    // Without pay, a correction and the payment that it keeps would show as an approval, which isn't there.
    const known = principal.apiUser.hidden.includes('pay') ? { ...seat, correction: null, is_paid: false } : seat;
    const options = statuses.map(option => {
      const [error] = option === current ? [] : judgeStatus(known, option.value, false).errors;
      const reason = option === current ? 'current' : error ? error.code : null;
      return { ...option, allowed: flagOf(reason === null), reason };
    });
    const { value: status, name, label } = current;
    return ok({ assignment_id: id, status, name, label, statuses: options });
  });
