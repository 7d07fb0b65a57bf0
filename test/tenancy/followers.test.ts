import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import type { Tenant } from '../../src/core/principal.ts';
import { followTenants } from '../../src/tenancy/followers.ts';

const tenantOf = (id: number, timeZone = 'UTC'): Tenant => ({
  id,
  slug: `t${id}`,
  name: `T${id}`,
  timeZone,
  modules: new Set(),
  rateLimit: null,
  sandbox: false,
  clockAhead: 0,
});

const log = pino({ level: 'silent' });
/** Nobody has new entries: waits until the signal is aborted. */
const quiet = {
  stopped: false,
  follow: (_tenant: number, _position: number, _ms: number, signal: AbortSignal) =>
    new Promise<boolean>(resolve => signal.addEventListener('abort', () => resolve(false), { once: true })),
};
const work = { longest: 1_000_000, failure: 'A step has failed.' };

describe('work that follows the journals of tenants', { timeout: 60_000 }, () => {
  it('has turns of one step: tenants with endless work hold up no other', async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const steps = new Map<number, number>();
    const step = async ({ id }: Tenant) => {
      await setImmediate();
      steps.set(id, (steps.get(id) ?? 0) + 1);
      if (steps.get(6) === 3) reach();
      return { position: 0, more: true };
    };
    const tenants = async () => [1, 2, 3, 4, 5, 6].map(id => tenantOf(id));
    const stop = followTenants(quiet, { ...work, tenants, step }, log);
    await reached;
    await stop();
    assert.ok(
      [...steps.values()].every(count => count >= 2 && count <= 5),
      `${[...steps]}`,
    );
  });

  it('is done again for a tenant that has changed, with the tenant as it is then', async () => {
    const listed = [[tenantOf(1), tenantOf(2)], [tenantOf(1), tenantOf(2, 'Europe/Berlin')], []];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const steps: string[] = [];
    const stop = followTenants(
      quiet,
      {
        ...work,
        tenants: async () => {
          if (listed.length === 1) end();
          return listed.shift() ?? [];
        },
        step: async ({ slug, timeZone }) => {
          steps.push(`${slug} ${timeZone}`);
          return { position: 0, more: false };
        },
      },
      log,
    );
    await ended;
    await stop();
    assert.deepEqual(steps, ['t1 UTC', 't2 UTC', 't2 Europe/Berlin']);
  });

  it('goes on where somebody else was busy', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const results = [null, { position: 7, more: false }];
    const waits: number[] = [];
    const stop = followTenants(
      {
        stopped: false,
        follow: (tenant, position, ms, signal) => {
          waits.push(position);
          end();
          return quiet.follow(tenant, position, ms, signal);
        },
      },
      { ...work, tenants: async () => [tenantOf(1)], step: async () => results.shift() ?? null },
      log,
    );
    await ended;
    await stop();
    assert.deepEqual([waits, results], [[7], []]);
  });
});
