import { formatErrors, type PayrollFileFormat } from '../../domain/payroll/format.ts';
import type { Rules } from '../../engine/rules.ts';

/** What a format names exists. */
export const payrollFormats: Rules = {
  independent: true,
  check: async ({ after }) => ({ errors: after ? formatErrors(after as unknown as PayrollFileFormat) : [] }),
};
