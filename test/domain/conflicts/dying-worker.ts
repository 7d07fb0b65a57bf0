import { openDatabase } from '../../../src/db/open.ts';
import { followConflicts } from '../../../src/domain/conflicts/follow.ts';
import { findTenantBySlug } from '../../../src/tenancy/directory.ts';
import { replaceForTenants } from '../../support/replace.ts';

// A worker that takes steps and kills itself in the last one, before its transaction is committed.
const { DATABASE_URL: url, TENANT: slug = '', STEPS: steps = '1' } = process.env;

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

const database = openDatabase({ url: url ?? null, dataDir: 'memory://', poolSize: 2 });
const tenant = await findTenantBySlug(database, slug);
if (!tenant) throw new Error(`There is no tenant ${slug}.`);
for (let step = 1; step < Number(steps); step++) await followConflicts(database.forTenant(tenant));
const dying = replaceForTenants(database, db => ({
  // As a part of a transaction, which does not end it, so that all has been sent but COMMIT.
  transaction: change => db.joined(async (_, transaction) => change(transaction).then(die)),
}));
await followConflicts(dying.forTenant(tenant));
