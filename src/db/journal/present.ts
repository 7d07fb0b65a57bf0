import { setTimeout } from 'node:timers/promises';
import type { Statement, TenantDb } from '../database.ts';

/** Milliseconds for which transactions in progress are waited for, and between two looks at them. */
const [timeout, pause] = [2_000, 10];

/**
 * Waits until every entry that is committed now can get its position.
 * Transactions in progress that began before one of them could still precede it. If they last longer than two seconds, such entries
 * follow the cursor of the present, too.
 */
export const awaitPresent = async (db: TenantDb): Promise<void> => {
  const [newest] = await db.read(newestStatement(db.tenant.id));
  const transaction = newest?.rows[0]?.[0];
  if (transaction == null) return;
  const end = performance.now() + timeout;
  for (;;) {
    const [preceded] = await db.read(precededStatement(transaction));
    if (preceded?.rows[0]?.[0] === 'f' || performance.now() >= end) return;
    await setTimeout(pause);
  }
};

const newestStatement = (tenantId: number): Statement => ({
  name: 'journal_newest',
  text: `select transaction from journal where tenant_id = $1 and position is null order by transaction desc limit 1`,
  values: [String(tenantId)],
});

const precededStatement = (transaction: string): Statement => ({
  name: 'journal_preceded',
  text: 'select $1::xid8 >= pg_snapshot_xmin(pg_current_snapshot())',
  values: [transaction],
});
