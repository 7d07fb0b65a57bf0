import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import type { Database } from '../../src/db/open.ts';
import { findTenantBySlug } from '../../src/tenancy/directory.ts';
import { ownDatabase } from '../support/database.ts';

describe('a sandbox on the command line', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cli-sandbox-'));
  const environment = { DATA_DIR: dataDir, BASE_DOMAIN: 'staffing.test' };
  let database: Database;

  const staffing = async (...args: string[]) => {
    const [out, note]: [string[], string[]] = [[], []];
    const open = () => ({ ...database, close: async () => {} });
    const terminal = {
      environment,
      out: (line: string) => out.push(line),
      note: (line: string) => note.push(line),
      open,
    };
    const status = await run(args, terminal);
    return { status, out, note };
  };
  const clientsOf = async (slug: string): Promise<number> => {
    const tenant = await findTenantBySlug(database, slug);
    assert.ok(tenant);
    const rows = await database
      .forTenant(tenant)
      .snapshot(({ kysely }) => kysely.selectFrom('clients').select('id').execute());
    return rows.length;
  };

  before(async () => {
    database = await ownDatabase();
  });
  after(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true });
  });

  test('is created with demo data and API users', async () => {
    const { status, out, note } = await staffing('tenant', 'create', 'trial', '--sandbox');
    assert.equal(status, 0, note.join('\n'));
    assert.deepEqual(out, ['Tenant trial is available at trial.staffing.test']);
    assert.deepEqual(note, ['Next: npm run --silent staffing -- token issue trial demo']);
    assert.equal((await staffing('token', 'issue', 'trial', 'demo')).status, 0);
    assert.ok((await clientsOf('trial')) > 40);
    const listed = await staffing('tenant', 'list', '--json');
    assert.deepEqual(
      JSON.parse(listed.out.join('\n')).map(({ slug, sandbox }: { slug: string; sandbox: boolean }) => [slug, sandbox]),
      [['trial', true]],
    );
  });

  test('is reset', async () => {
    const filled = await clientsOf('trial');
    const { id } = (await findTenantBySlug(database, 'trial')) ?? { id: 0 };
    await database.asOwner(id, ({ system }) => system.updateTable('tenants').set({ clock_ahead: 5 }).execute());
    await database.asOwner(id, ({ kysely }) =>
      kysely.insertInto('clients').values({ id: 900_000, company: 'One more', status: 1 }).execute(),
    );
    assert.equal(await clientsOf('trial'), filled + 1);
    const { status, out, note } = await staffing('tenant', 'reset', 'trial');
    assert.deepEqual([status, out, note], [0, ['Sandbox trial is as new'], []]);
    assert.equal(await clientsOf('trial'), filled);
    assert.equal((await findTenantBySlug(database, 'trial'))?.clockAhead, 0);
  });

  test('is the only kind of tenant that can be', async () => {
    assert.equal((await staffing('tenant', 'create', 'live')).status, 0);
    assert.equal((await staffing('api-user', 'create', 'live', 'erp')).status, 0);
    const { status, note } = await staffing('tenant', 'reset', 'live');
    assert.deepEqual([status, note], [1, ['staffing: Tenant live is not a sandbox: only a sandbox can be reset']]);
    assert.equal((await staffing('tenant', 'reset', 'nobody')).status, 1);
  });
});
