import { refer } from '../refer.ts';
import type { PerformStep } from '../step.ts';
import { planDeletes } from './deletes.ts';
import { readOperations } from './document.ts';
import { planDoors } from './doors.ts';
import { placeFinder } from './places.ts';
import { root, sender, type Users, type WitnessPlan } from './plan.ts';
import { planReads } from './reads.ts';
import { planRejections } from './rejections.ts';
import { planWork } from './work.ts';
import { planWrites } from './writes.ts';

/** Performs all steps of the witness: the reads and rejections, then the writes, then the deletions. */
export const planAll = async (perform: PerformStep): Promise<void> => {
  const users = await prepare(perform);
  const operations = readOperations();
  const send = sender(perform, users);
  const plan: WitnessPlan = { operations, users, send, ...placeFinder(operations, send) };
  await planDoors(plan);
  await planReads(plan);
  await planRejections(plan);
  await planWrites(plan);
  await planWork(plan);
  await planDeletes(plan);
  await planRate(plan);
  await perform({ kind: 'stop' });
};

/**
 * Starts the service once to create the demo tenant.
 * Then adds a read-only API user and a tenant without modules.
 */
const prepare = async (perform: PerformStep): Promise<Users> => {
  await perform({ kind: 'start' });
  const { number } = await perform({ kind: 'stop' });
  const command = (...args: readonly string[]) => perform({ kind: 'command', args });
  const issue = async (tenant: string, user: string) =>
    refer((await command('token', 'issue', tenant, user, '--json')).number, 'token');
  await command('--help');
  await command('api-user', 'create', 'demo', 'reader', '--read-only');
  const reader = await issue('demo', 'reader');
  await command('tenant', 'create', 'bare', '--modules', 'none', '--rate-limit', '300');
  await command('api-user', 'create', 'bare', 'bare');
  const bare = await issue('bare', 'bare');
  await perform({ kind: 'start' });
  return { demo: refer(number, 'token'), reader, bare };
};

/** Sends requests until the tenant's rate limit rejects one. */
const planRate = async ({ send, users }: WitnessPlan): Promise<void> => {
  for (let requests = 0; requests < 400; requests++) {
    const { result } = await send('rate', 'limit', {
      target: `${root}/clients?limit=1`,
      headers: { Host: 'bare.localhost', Authorization: `Bearer ${users.bare}` },
    });
    if (result.status === 429) return;
  }
};
