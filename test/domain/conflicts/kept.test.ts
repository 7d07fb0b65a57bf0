import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { resources } from '../../../generated/resources.ts';
import { createTenantFields } from '../../../src/attributes/tenant-fields.ts';
import { moveClock } from '../../../src/automations/sandbox/clock.ts';
import { type Module, modules } from '../../../src/core/resource/modules.ts';
import { readPosition } from '../../../src/domain/conflicts/progress.ts';
import { finishConflicts, rebuildConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import { updateTenant } from '../../../src/domain/provision/update-tenant.ts';
import { findTenantById, findTenantBySlug } from '../../../src/tenancy/directory.ts';
import { moveTo, timeOf } from '../../resources/sandbox/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { replaceForTenants } from '../../support/replace.ts';
import { addTired, list, morning, parts, tenantWith } from './scene.ts';

const log = pino({ level: 'silent' });
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

    it('are not removed by the clock before its reset, by a process that has not heard of it, as the first or later', async () => {
      const { client, staffing } = await tenantWith(app, {}, { sandbox: true });
      await addTired(staffing);
      const { database, tenant } = client;
      const until = Date.parse(morning[1]) + 405 * DAY;
      const before = database.forTenant({ ...tenant, clockAhead: until - Date.now() });
      const stays = { position: 0, more: false, changes: 0, isOutdated: true };
      assert.deepEqual(await finishConflicts(before), stays);
      assert.deepEqual(await list(client), []);
      await finishConflicts(database.forTenant(tenant));
      assert.equal((await list(client)).length, 1);
      assert.equal((await finishConflicts(before)).isOutdated, true);
      assert.equal((await list(client)).length, 1);
    });

    it('are judged again once a day where they have begun by then, and no others, however far rules look', async () => {
      const age = { applies_to: { age_below: 18 } };
      const { client, staffing } = await tenantWith(app, age, { sandbox: true });
      const hireOut = { kind: 'hire_out', parameters: { months: 18, gap_months: 1 } };
      await staffing.create('work-rules', { name: 'Hire out', ...hireOut });
      const now = await timeOf(client);
      const work = async (employee: number, days: number) => {
        const [start, end] = [0, 6 * HOUR].map(more => new Date(now + days * DAY + more).toISOString());
        return staffing.assignment(employee, await staffing.shift(String(start), String(end)), 6);
      };
      const [both, later] = [await staffing.employee({ birthday: null }), await staffing.employee({ birthday: null })];
      const [first, second, third] = [await work(both, 1), await work(both, 30), await work(later, 30)];
      await moveTo(client, now + HOUR);
      assert.deepEqual(parts(await list(client), 'employee_id', 'assignment_ids'), [
        [both, [first, second]],
        [later, [third]],
      ]);
      const db = client.database.forTenant(client.tenant);
      await db.transaction(({ kysely }) => kysely.updateTable('conflicts').set({ assignment_ids: '[]' }).execute());
      await moveTo(client, now + 405 * DAY);
      assert.deepEqual(parts(await list(client), 'employee_id', 'assignment_ids'), [
        [both, [second]],
        [later, []],
      ]);
      const tenant = await findTenantBySlug(client.database, client.tenant.slug);
      assert.equal(tenant && (await rebuildConflicts(client.database.forTenant(tenant))), 1);
    });

    it('end the move of its clock where the tenant is disabled meanwhile', { timeout: 60_000 }, async () => {
      for (const without of [[], ['automations']] satisfies Module[][]) {
        const { client, staffing } = await tenantWith(app, {}, { sandbox: true });
        await addTired(staffing);
        const { database, tenant } = client;
        const kept = modules.filter(module => !without.some(name => name === module));
        await updateTenant(database, tenant, { modules: kept }, 'test');
        const disabled = replaceForTenants(database, db => ({
          transaction: async change => {
            await updateTenant(database, tenant, { active: false }, 'test');
            return db.transaction(change);
          },
        }));
        const dependencies = { fields: createTenantFields(resources), attempts: 1, log, now: () => new Date() };
        assert.equal(await moveClock(tenant.id, { ...dependencies, database: disabled }), false);
        assert.equal(await findTenantById(database, tenant.id), null);
        assert.deepEqual(await database.forTenant(tenant).snapshot(readPosition), 0);
      }
    });
  });
});
