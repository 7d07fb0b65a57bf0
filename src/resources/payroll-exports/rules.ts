import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { OPEN } from '../../domain/pay/payment.ts';
import type { Rules } from '../../engine/rules.ts';

/** The pay run of an acknowledged export is not open, and can't become so. */
export const payrollExports: Rules = {
  check: async ({ before, after }, transaction) => {
    if (!before || !after || after.acknowledged_on === null || after.acknowledged_on === before.acknowledged_on)
      return { errors: [] };
    return { errors: await openErrors(Number(before.pay_run_id), transaction) };
  },
};

/** The pay run is locked, so that it does not become open meanwhile. */
const openErrors = async (payRunId: number, { kysely }: Transaction): Promise<readonly FieldError[]> => {
  const run = await kysely
    .selectFrom('pay_runs')
    .select('status')
    .where('id', '=', payRunId)
    .forShare()
    .executeTakeFirst();
  if (run?.status !== OPEN) return [];
  return [fieldError('invalid_transition', 'acknowledged_on', 'acknowledged_on: the pay run is open.')];
};
