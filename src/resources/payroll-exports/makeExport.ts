import { resources } from '../../../generated/resources.ts';
import { root } from '../../core/root.ts';
import { isUncertain } from '../../db/errors.ts';
import { exportRun } from '../../domain/payroll/export.ts';
import type { Action } from '../../engine/action.ts';
import { identifyBody } from '../../engine/references/external-id.ts';
import { endWithRecord } from '../../engine/verb.ts';
import { insert } from '../../engine/write.ts';

/**
 * POST /pay-runs/{id}/exports: writes the lines of a pay run to a file.
 * See docs/decisions.md, "Payroll files".
 */
export const makeExport: Action<'payRuns_makeExport'> = async (call, db, { files }) => {
  const made = { discard: async () => {} };
  const reply = await db
    .transaction(async transaction => {
      const set = call.fields.get(resources['payroll-exports']);
      const asked = { ...call, id: 0 };
      const { payroll_format_id } = await identifyBody(asked, set.resource, 'payroll_format_id', transaction);
      const { id: userId } = call.principal.apiUser;
      const exported = await exportRun({ payRunId: call.id, formatId: payroll_format_id, userId }, files, transaction);
      made.discard = exported.discard;
      const values = {
        ...exported.values,
        file_id: await insert(call.fields.get(resources.files), exported.file, transaction),
        preview: db.rehearsed ? exported.preview : null,
      };
      const id = await insert(set.complete ?? set, values, transaction);
      const shown = await endWithRecord(resources['payroll-exports'], id, call, transaction);
      return { ...shown, status: 201 as const, headers: { location: `${root}/payroll-exports/${id}` } };
    })
    .catch(async (error: unknown) => {
      if (!isUncertain(error)) await made.discard();
      throw error;
    });
  if (db.rehearsed) await made.discard();
  return reply;
};
