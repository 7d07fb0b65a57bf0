import { reportingFormsOf } from '../../staffing/reporting-forms.ts';
import type { Action } from '../action.ts';
import { idsOf } from '../ids.ts';

/** GET /assignments/reporting-forms: the forms that the employees of several assignments fill in. */
export const listReportingForms: Action<'assignments_listReportingForms'> = (call, db) =>
  db.snapshot(async transaction => {
    const value = await reportingFormsOf(idsOf(call.parameters), call, transaction);
    return { status: 200, headers: {}, body: { kind: 'value', name: 'reporting_forms', value } };
  });
