import { idsOf } from '../../core/ids.ts';
import { reportingFormsOf } from '../../domain/work/reporting-forms.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/reporting-forms: lists the reporting forms of several assignments. */
export const listReportingForms: Action<'assignments_listReportingForms'> = (call, db) =>
  db.snapshot(async transaction => ok(await reportingFormsOf(idsOf(call.parameters), call, transaction)));
