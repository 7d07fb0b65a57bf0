import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { openDatabase } from '../../src/db/open.ts';
import { startApp } from '../support/app.ts';
import { citusPrograms } from '../support/citus.ts';
import { inMemory, migratedUrl, newTenant, onServer } from '../support/database.ts';

const skip = !citusPrograms && 'TEST_CITUS_BIN names no programs of Postgres with Citus';

describe('plans on a cluster', { skip }, () => {
  it('read one node for each layer of each resource', async () => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl() });
    const tenant = await newTenant(database);
    const layers = Object.values<Resource>(resources).flatMap(({ called, source, layers }) =>
      called ? [] : [...new Set([source, ...(layers ?? [])])],
    );
    const wrong: string[] = [];
    for (const layer of new Set(layers)) {
      const text = `explain select * from ${layer} where tenant_id = $1 limit 51`;
      const [plan] = await database.forTenant(tenant).read({ name: null, text, values: [String(tenant.id)] });
      const lines = plan?.rows.flat().join('\n') ?? '';
      if (!/Task Count: 1$/m.test(lines) || /Task Count: [^1]|Subplan/.test(lines)) wrong.push(`${layer}\n${lines}`);
    }
    assert.deepEqual(wrong, []);
    await database.close();
  });

  it('are made in the functions of resources', async () => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl() });
    const tenant = await newTenant(database);
    const called = Object.values<Resource>(resources).filter(({ called }) => called);
    assert.ok(called.length > 1);
    for (const { source, supplied } of called) {
      const text = `select count(*) from ${source}($1::bigint, 'UTC', 1${supplied ? ', null' : ''})`;
      const [result] = await database.forTenant(tenant).read({ name: null, text, values: [String(tenant.id)] });
      assert.deepEqual(result?.rows, [['0']]);
    }
    await database.close();
  });

  it('of one connection are those of the tenant whose request it is', async () => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize: 1 });
    const app = await startApp(database);
    const clients = [];
    for (let turn = 0; turn < 4; turn++) clients.push(await app.newClient());
    for (let turn = 1; turn <= 8; turn++)
      for (const { call } of clients) {
        assert.equal((await call('POST', '/clients', { body: { company: `Turn ${turn}` } })).status, 201);
        assert.equal((await call('GET', `/clients?fields=id&limit=${50 + turn}`)).body.length, turn);
        assert.equal((await call('GET', '/projects?fields=id,start')).status, 200);
      }
    await app.close();
    await database.close();
  });

  it('of a node with rows keep no tenant: a policy copied from the coordinator is named, and replaced', async () => {
    const url = await migratedUrl();
    const copy = `select * from run_command_on_workers($run$ do $do$ begin
      perform set_config('citus.enable_ddl_propagation', 'off', true), set_config('citus.enable_manual_changes_to_shards', 'on', true);
      execute (select format('alter policy tenant on %s using (tenant_id = planned_tenant())', oid::regclass)
        from pg_class where relname ~ '^clients_\\d+$' and relkind = 'r' order by 1 limit 1);
    end $do$ $run$)`;
    for (const { success, result } of (await onServer(copy, url)).rows) assert.equal(success, true, result);
    const database = openDatabase({ ...inMemory, url });
    const steps: string[] = [];
    await database.distribute({ dryRun: false, onStep: what => steps.push(what) });
    assert.match(steps.join('\n'), /^Prepare nodes: .* policy of clients_\d+; .* policy of clients_\d+$/);
    assert.deepEqual(await database.missingOfDistribution(), []);
    await database.close();
  });
});
