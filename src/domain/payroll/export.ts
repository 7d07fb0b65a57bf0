import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { ApiError, invalidField } from '../../core/errors.ts';
import { localDateOf } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import type { Files } from '../../files/files.ts';
import { cleanName } from '../../files/name.ts';
import { OPEN } from '../pay/payment.ts';
import { writeDate, writeNumber } from './cell.ts';
import { payrollFile, type WrittenFile } from './file.ts';
import { fill, type PayrollFileFormat, runFields } from './format.ts';

/** What is exported, how, and by which API user. */
export interface ExportRequest {
  readonly payRunId: number;
  readonly formatId: number;
  readonly userId: number;
}

/**
 * Writes the lines of a pay run, which can't become open until the transaction ends, to a stored file.
 * @returns the rows of the file and of the export without the file's id, the first lines, and how the stored file is discarded
 * @throws ApiError not_found (404), validation_failed (422); then no file is stored
 */
export const exportRun = async (
  { payRunId, formatId, userId }: ExportRequest,
  files: Files,
  transaction: Transaction,
) => {
  const run = await lockRun(payRunId, transaction);
  const format = await formatOf(formatId, transaction);
  const named = namesOf(run, format);
  const written: WrittenFile = { lines: 0, preview: [] };
  const bytes = payrollFile({ payRunId, format, named }, written, transaction);
  // The size of a pay run is limited, that of its file therefore, too: FILE_LIMIT is for what others send.
  const intake = files.limitedTo(Number.POSITIVE_INFINITY);
  const { path, size, digest, discard } = await intake.receive(transaction.tenant.id, Readable.from(bytes), null);
  return {
    file: {
      path,
      // Dates can have slashes, of which a file name would keep only what follows the last.
      name: cleanName(fill(format.file_name, named).replaceAll(/[/\\]/g, '-')) || 'export',
      mime: 'text/plain',
      status: 1,
      user_id: userId,
      visibility: 'private',
      size,
    },
    values: {
      pay_run_id: payRunId,
      payroll_format_id: formatId,
      sha256: digest,
      lines: written.lines,
      totals: run.totals,
      created_by: userId,
    },
    preview: written.preview,
    discard,
  };
};

/** Returns a pay run, which can't become open until the transaction ends. @throws ApiError */
const lockRun = async (id: number, { kysely, tenant }: Transaction) => {
  const names = runFields.map(({ name, type }) => {
    const column = sql.ref(name);
    return sql<string | null>`${type === 'date_time' ? column : sql`${column}::text`}`.as(name);
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
    throw invalidField('invalid_transition', 'status', 'status: only an approved or paid pay run is exported.');
  const dates = runFields.flatMap(({ name, type }) => {
    const value = type === 'date_time' ? run[name] : null;
    return typeof value === 'string' ? [[name, localDateOf(value, tenant.timeZone)]] : [];
  });
  return { ...run, ...Object.fromEntries(dates) };
};

/** Returns a format, locked against removal. @throws ApiError validation_failed (422) */
const formatOf = async (id: number, { kysely }: Transaction): Promise<PayrollFileFormat> => {
  const query = kysely.selectFrom('payroll_formats').selectAll().where('id', '=', id).forKeyShare();
  const row = await query.executeTakeFirst();
  if (!row) throw invalidField('reference_not_found', 'payroll_format_id');
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
