import { ApiError } from '../../core/errors.ts';
import { reportingFormsOf } from '../../domain/work/reporting-forms.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/{id}/reporting-forms: lists the assignment's reporting forms. */
export const readReportingForms: Action<'assignments_readReportingForms'> = (call, db) =>
  db.snapshot(async transaction => {
    const { id } = call;
    const query = transaction.kysely.selectFrom('assignments').select('id').where('id', '=', id);
    if (!(await query.executeTakeFirst())) throw new ApiError('not_found');
    return ok(await reportingFormsOf([id], call, transaction));
  });
