import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { ApiError, fieldError, validationFailed } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import type { Transaction } from '../../db/database.ts';
import { writeDate, writeNumber } from '../../domain/payroll/cell.ts';
import { payrollFile, type WrittenFile } from '../../domain/payroll/file.ts';
import { fill, type PayrollFileFormat, runFields } from '../../domain/payroll/format.ts';
import type { Action } from '../../engine/action.ts';
import { identifyBody } from '../../engine/references/external-id.ts';
import { endWithRecord } from '../../engine/verb.ts';
import { insert } from '../../engine/write.ts';
import { cleanName } from '../../files/name.ts';

const OPEN = 1;

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
      const run = await lockRun(call.id, transaction);
      const format = await formatOf(payroll_format_id, transaction);
      const named = namesOf(run, format);
      const written: WrittenFile = { lines: 0, preview: [] };
      const bytes = payrollFile({ payRunId: call.id, format, named }, written, transaction);
      const content = await files.receive(transaction.tenant.id, Readable.from(bytes), null);
      made.discard = content.discard;
      const { id: userId } = call.principal.apiUser;
      const file = {
        path: content.path,
        name: cleanName(fill(format.file_name, named)) || 'export',
        mime: 'text/plain',
        status: 1,
        user_id: userId,
        visibility: 'private',
        size: content.size,
      };
      const values = {
        pay_run_id: call.id,
        payroll_format_id,
        file_id: await insert(call.fields.get(resources.files), file, transaction),
        sha256: content.digest,
        lines: written.lines,
        totals: run.totals,
        created_by: userId,
        preview: db.rehearsed ? written.preview : null,
      };
      const id = await insert(set.complete ?? set, values, transaction);
      const shown = await endWithRecord(resources['payroll-exports'], id, call, transaction);
      return { ...shown, status: 201 as const, headers: { location: `${root}/payroll-exports/${id}` } };
    })
    .catch(async (error: unknown) => {
      await made.discard();
      throw error;
    });
  if (db.rehearsed) await made.discard();
  return reply;
};

/** Returns a pay run, which can't become open until the transaction ends. @throws ApiError */
const lockRun = async (id: number, { kysely, tenant }: Transaction) => {
  const names = runFields.map(({ name, type }) => {
    const column = type === 'date_time' ? sql`(${sql.ref(name)} at time zone ${tenant.timeZone})::date` : sql.ref(name);
    return sql<string | null>`${column}::text`.as(name);
  });
  const run = await kysely
    .selectFrom('pay_runs')
    .select(['status as state', 'totals'])
    .select(names)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  if (!run) throw new ApiError('not_found');
  if (run.state === OPEN)
    throw validationFailed([
      fieldError('invalid_transition', 'status', 'status: only an approved or paid pay run is exported.'),
    ]);
  return run;
};

/** @throws ApiError validation_failed (422) */
const formatOf = async (id: number, { kysely }: Transaction): Promise<PayrollFileFormat> => {
  const row = await kysely.selectFrom('payroll_formats').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw validationFailed([fieldError('reference_not_found', 'payroll_format_id')]);
  return row as unknown as PayrollFileFormat;
};

/** Returns the function that returns the value of a name: a variable, or a field of the pay run. */
const namesOf =
  (run: object, format: PayrollFileFormat) =>
  (name: string): string => {
    const { [name]: variable } = format.variables;
    if (variable !== undefined && Object.hasOwn(format.variables, name)) return variable;
    const { [name]: value = null } = run as Readonly<Record<string, string | null>>;
    if (value === null) return '';
    const type = runFields.find(field => field.name === name)?.type;
    if (type === 'date' || type === 'date_time') return writeDate(value, format);
    return type === 'number' ? writeNumber(value, format) : value;
  };
