import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Tenant } from '../../src/core/principal.ts';
import type { Database } from '../../src/db/open.ts';
import { findTenantEntry, listTenants } from '../../src/tenancy/directory.ts';
import { forAnyDatabase, newTenant } from '../support/database.ts';
import { callersOf, identify } from './identify.ts';

forAnyDatabase((_name, getDatabase) => {
  let acme: Tenant;
  let jobs: string;

  before(async () => {
    acme = await newTenant(getDatabase());
    jobs = `jobs.${acme.slug}.example`;
    await getDatabase().system.insertInto('tenant_hosts').values({ host: jobs, tenant_id: acme.id }).execute();
  });

  const find = async (host: string) => (await identify(callersOf(getDatabase()), host)).tenant;

  describe('the entry of a tenant', () => {
    test('is the one of its list, active or not, with its own hosts only', async () => {
      const other = await newTenant(getDatabase());
      await getDatabase().system.updateTable('tenants').set({ active: false }).where('id', '=', other.id).execute();
      for (const [{ id }, hosts, active] of [
        [acme, [jobs], true],
        [other, [], false],
      ] as const) {
        const entry = await findTenantEntry(getDatabase(), id);
        assert.deepEqual([entry?.tenant.id, entry?.hosts, entry?.active], [id, hosts, active]);
        assert.deepEqual(
          entry,
          (await listTenants(getDatabase())).find(({ tenant }) => tenant.id === id),
        );
      }
      assert.equal(await findTenantEntry(getDatabase(), 999_999_999), null);
    });
  });

  describe('a host name', () => {
    test('under the base domain is that of the tenant with the slug', async () => {
      assert.deepEqual(await find(`${acme.slug}.staffing.test`), acme);
    });

    test('that is registered is that of its tenant', async () => {
      assert.deepEqual(await find(jobs), acme);
    });

    test('under the base domain that is registered for another tenant is that of the active tenant with the slug', async () => {
      const [own, other] = [await newTenant(getDatabase()), await newTenant(getDatabase())];
      const host = `${own.slug}.staffing.test`;
      await getDatabase().system.insertInto('tenant_hosts').values({ host, tenant_id: other.id }).execute();
      assert.deepEqual(await find(host), own);
      await getDatabase().system.updateTable('tenants').set({ active: false }).where('id', '=', own.id).execute();
      assert.deepEqual(await find(host), other);
    });

    const strangers: [label: string, host: () => string][] = [
      ['the base domain itself', () => 'staffing.test'],
      ['an unknown slug', () => 'nobody.staffing.test'],
      ['two labels under the base domain', () => `www.${acme.slug}.staffing.test`],
      ['an empty label', () => '.staffing.test'],
      ['the slug alone', () => acme.slug],
      ['the slug under another domain', () => `${acme.slug}.example`],
      ['the base domain without its dot', () => `${acme.slug}staffing.test`],
      ['a label below a registered host', () => `a.${jobs}`],
      ['the slug in capitals', () => `${acme.slug.toUpperCase()}.staffing.test`],
      ['a quote', () => `${acme.slug}'.staffing.test`],
      ['nothing', () => ''],
    ];
    for (const [label, host] of strangers) {
      test(`of no tenant: ${label}`, async () =>
        assert.rejects(find(host()), { code: 'tenant_not_found', status: 404 }));
    }

    test('of a disabled tenant is rejected as such, under the base domain and registered', async () => {
      const off = await newTenant(getDatabase());
      const host = `off.${off.slug}.example`;
      await getDatabase().system.insertInto('tenant_hosts').values({ host, tenant_id: off.id }).execute();
      const callers = callersOf(getDatabase());
      await getDatabase().system.updateTable('tenants').set({ active: false }).where('id', '=', off.id).execute();
      for (const name of [`${off.slug}.staffing.test`, host])
        for (const _ of ['read', 'cached'])
          await assert.rejects(identify(callers, name), { code: 'tenant_disabled', status: 403 });
    });
  });

  describe('a result', () => {
    test('is shared by concurrent requests, also if there is no tenant', async () => {
      let queries = 0;
      const ask: Database['ask'] = statement => {
        queries += 1;
        return getDatabase().ask(statement);
      };
      const callers = callersOf({ ask });
      await Promise.all(Array.from({ length: 50 }, () => identify(callers, `${acme.slug}.staffing.test`)));
      assert.equal(queries, 1);
      await Promise.allSettled(Array.from({ length: 50 }, () => identify(callers, 'nobody.example')));
      assert.equal(queries, 2);
    });

    test('of a sandbox is read once by each request, never taken from another', async () => {
      const sandbox = await newTenant(getDatabase());
      await getDatabase().system.updateTable('tenants').set({ sandbox: true }).where('id', '=', sandbox.id).execute();
      let queries = 0;
      const ask: Database['ask'] = statement => {
        queries += 1;
        return getDatabase().ask(statement);
      };
      const callers = callersOf({ ask });
      for (const expected of [1, 2, 3]) {
        assert.equal((await identify(callers, `${sandbox.slug}.staffing.test`)).tenant.sandbox, true);
        assert.equal(queries, expected);
      }
    });

    test('is not cached if the database failed', async () => {
      let failing = true;
      const ask: Database['ask'] = async statement => {
        if (failing) throw new Error('down');
        return getDatabase().ask(statement);
      };
      const callers = callersOf({ ask });
      await assert.rejects(identify(callers, jobs), /down/);
      failing = false;
      assert.deepEqual((await identify(callers, jobs)).tenant, acme);
    });
  });
});
