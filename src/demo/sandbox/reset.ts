import { randomUUID } from 'node:crypto';
import type { Tenant } from '../../core/principal.ts';
import { today } from '../../core/time.ts';
import type { Statement } from '../../db/database.ts';
import type { Database } from '../../db/open.ts';
import type { OwnerTransaction } from '../../db/owner.ts';
import { finishConflicts } from '../../domain/conflicts/rebuild.ts';
import { addBasics } from '../../domain/provision/provision.ts';
import type { Files } from '../../files/files.ts';
import { listApiUsers } from '../../tenancy/api-users.ts';
import { InputError } from '../../tenancy/names.ts';
import { addedCounts, fillDemoFiles } from '../files.ts';
import { numberDemo, writeDemo } from '../fill.ts';
import { generateDemo } from '../generate.ts';

/**
 * Brings a sandbox back to the state of a new one: demo data around today, and the real time.
 * Ids are the same, but for those of conflicts, which are found anew. API users, tokens and the secrets of webhooks stay; cursors of
 * GET /changes expire.
 * @throws InputError if the tenant is not a sandbox, or has no API user
 */
export const resetSandbox = async (database: Database, tenant: Tenant, files: Files): Promise<void> => {
  const [apiUser] = await listApiUsers(database, tenant);
  if (!apiUser) throw new InputError(`Tenant ${tenant.slug} has no API user`);
  const added = await database.asOwner(tenant.id, async given => {
    const ids = new FirstIds();
    const transaction: OwnerTransaction = { ...given, newIds: (table, count) => ids.take(table, count) };
    await stopClock(transaction, tenant);
    await transaction.send(...clearing(tenant.id));
    await addBasics(transaction, tenant.modules);
    const day = today({ timeZone: tenant.timeZone, clockAhead: 0 });
    await writeDemo(transaction, generateDemo('small', day, tenant.timeZone), apiUser.id);
    const taken = {
      files: await ids.take('files', addedCounts.files),
      payroll_exports: await ids.take('payroll_exports', addedCounts.payroll_exports),
    };
    await transaction.send(...ids.reserving(tenant.id));
    return taken;
  });
  await numberDemo(database, tenant);
  await finishConflicts(database.forTenant({ ...tenant, clockAhead: 0 }));
  const left = { files: added.files.values(), payroll_exports: added.payroll_exports.values() };
  await fillDemoFiles(database, files, { tenant, apiUser }, async (_, table) => Number(left[table].next().value));
};

/**
 * Sets the clock to the real time, and locks it.
 * @throws InputError if the tenant has no clock of its own
 */
const stopClock = async ({ system }: OwnerTransaction, { id, slug }: Tenant): Promise<void> => {
  const stopped = await system
    .updateTable('tenants')
    .set({ clock_ahead: 0 })
    .where('id', '=', id)
    .where('sandbox', '=', true)
    .returning('id')
    .executeTakeFirst();
  if (!stopped) throw new InputError(`Tenant ${slug} is not a sandbox: only a sandbox can be reset`);
};

/** Positions go on, so that who waits for the next one is woken, and learns of the new epoch. */
const clearing = (tenantId: number): readonly Statement[] => [
  { name: null, text: 'select clear_tenant()', values: [] },
  {
    name: null,
    text: 'update journal_heads set epoch = $2, forgotten = position where tenant_id = $1',
    values: [String(tenantId), randomUUID()],
  },
];

/**
 * Ids from 1 for each table, as a new tenant has them.
 * Those of records that were deleted are given again.
 */
class FirstIds {
  readonly #last = new Map<string, number>();

  async take(table: string, count: number): Promise<readonly number[]> {
    const last = this.#last.get(table) ?? 0;
    this.#last.set(table, last + count);
    return Array.from({ length: count }, (_, index) => last + index + 1);
  }

  /** Returns the statements that keep the ids from being claimed, if they have not been claimed before. */
  reserving(tenantId: number): readonly Statement[] {
    return [...this.#last].map(([table, last]) => ({
      name: null,
      text: `insert into id_blocks (tenant_id, "table", next) values ($1::bigint, $2, $3::bigint)
        on conflict (tenant_id, "table") do update set next = greatest(id_blocks.next, excluded.next)`,
      values: [String(tenantId), table, String(last + 1)],
    }));
  }
}
