import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rebuildConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import { findTenantBySlug } from '../../../src/tenancy/directory.ts';
import { moveTo, timeOf } from '../../resources/sandbox/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { list, tenantWith } from './scene.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];

forAnyApp((_, app) => {
  describe('conflicts in a sandbox', () => {
    it('are up to date when its clock has moved, and removed 400 days after their end, with entries', async () => {
      const { client, staffing } = await tenantWith(app, {}, { sandbox: true });
      const now = await timeOf(client);
      const times = (days: number, hours: number) =>
        [0, 6].map(more => new Date(now + days * DAY + (hours + more) * HOUR).toISOString()) as [string, string];
      const employee = await staffing.employee();
      for (const [days, hours] of [
        [1, 0],
        [1, 14],
        [30, 0],
        [30, 14],
      ] as const)
        await staffing.assignment(employee, await staffing.shift(...times(days, hours)), 6);
      assert.equal((await moveTo(client, now + HOUR)).status, 200);
      const both = await list(client);
      assert.equal(both.length, 2);
      await moveTo(client, now + 395 * DAY);
      assert.deepEqual(await list(client), both);
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      await moveTo(client, now + 405 * DAY);
      assert.deepEqual(await list(client), both.slice(1));
      const { changes } = (await client.call('GET', `/changes?after=${next}`)).body;
      assert.deepEqual(
        changes.map(({ resource, id, change, by }: Record<string, unknown>) => ({ resource, id, change, by })),
        [{ resource: 'conflicts', id: both[0]?.id, change: 'deleted', by: { type: 'system', id: null } }],
      );
      const tenant = await findTenantBySlug(client.database, client.tenant.slug);
      assert.ok(tenant);
      assert.equal(await rebuildConflicts(client.database.forTenant(tenant)), 0);
    });
  });
});
