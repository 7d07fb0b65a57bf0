import type { Transaction } from '../../db/database.ts';

/** Returns an export of a locked pay run that a payroll program has taken. */
export const acknowledgedExportOf = async (payRunId: number, { kysely }: Transaction): Promise<number | undefined> => {
  const row = await kysely
    .selectFrom('payroll_exports')
    .select('id')
    .where('pay_run_id', '=', payRunId)
    .where('acknowledged_on', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
};
