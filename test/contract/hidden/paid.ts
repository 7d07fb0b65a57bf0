import { sql } from 'kysely';
import type { OwnerTransaction } from '../../../src/db/owner.ts';

/** The time at which what was unpaid becomes paid. */
const when = sql`timestamptz '2026-06-30 10:00:00Z'`;

/**
 * Makes what is paid unpaid, and what is approved paid, with the payments of the history.
 * @returns the columns that were changed
 */
export const togglePaid = async (tenantId: number, system: OwnerTransaction['system']): Promise<readonly string[]> => {
  const paidOn = sql`paid_on = case when paid_on is null then ${when} end`;
  await sql`delete from assignment_history where tenant_id = ${tenantId} and action = 'payment'`.execute(system);
  await sql`update assignments set ${paidOn} where tenant_id = ${tenantId} and is_approved`.execute(system);
  await sql`insert into assignment_history (tenant_id, id, assignment_id, employee_id, action, from_status, to_status, data)
    select tenant_id, 9000000 + id, id, employee_id, 'payment', status, status, jsonb_build_object('paid_on', ${when})
    from assignments where tenant_id = ${tenantId} and paid_on = ${when}`.execute(system);
  for (const table of ['paysheets', 'pay_runs'])
    await sql`update ${sql.id(table)} set ${paidOn}, status = 5 - status
      where tenant_id = ${tenantId} and status in (2, 3)`.execute(system);
  return ['assignments.paid_on', 'paysheets.status', 'pay_runs.status'];
};
