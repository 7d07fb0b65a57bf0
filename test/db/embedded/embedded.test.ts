import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { EmbeddedDatabaseError } from '../../../src/db/embedded/embedded.ts';
import { DatabaseError } from '../../../src/db/errors.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { newTenant } from '../../support/database.ts';
import { until } from '../../support/until.ts';

const root = mkdtempSync(join(tmpdir(), 'staffing-embedded-'));
after(() => rmSync(root, { recursive: true }));

const open = (dataDir: string, statementTimeoutMs = 5000) => openDatabase({ url: null, dataDir, statementTimeoutMs });
const endless = 'select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b';

describe('the embedded database', () => {
  const dataDir = join(root, 'data');

  test('keeps its data when it is closed and opened again', async () => {
    const first = open(dataDir);
    await first.migrate();
    const tenant = await newTenant(first);
    await first.close();
    const second = open(dataDir);
    assert.deepEqual(await second.pendingMigrations(), []);
    const rows = await second.system.selectFrom('tenants').select('slug').where('id', '=', tenant.id).execute();
    await second.close();
    assert.deepEqual(rows, [{ slug: tenant.slug }]);
    assert.ok(!existsSync(join(dataDir, 'database.lock')));
  });

  test('gives a statement up that takes too long; the next one works, and nothing is half written', async () => {
    const database = open(dataDir, 3000);
    const tenant = await newTenant(database);
    const db = database.forTenant(tenant);
    await assert.rejects(
      db.read({ name: null, text: endless, values: [] }),
      (error: unknown) => error instanceof DatabaseError && error.kind === 'timeout',
    );
    await assert.rejects(
      database.system.transaction().execute(async transaction => {
        await transaction.updateTable('tenants').set({ name: 'half' }).where('id', '=', tenant.id).execute();
        await transaction.selectNoFrom(eb => eb.fn('pg_sleep', [eb.val(60)]).as('slept')).execute();
      }),
      (error: unknown) => error instanceof DatabaseError && error.kind === 'timeout',
    );
    const row = await database.system
      .selectFrom('tenants')
      .select('name')
      .where('id', '=', tenant.id)
      .executeTakeFirst();
    assert.equal(row?.name, tenant.name);
    await database.close();
  });

  test('is readable by no other user of the machine, even if it was before', async () => {
    const folder = join(dataDir, 'database');
    const modes = (): ReadonlySet<string> => {
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      const paths = [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
      return new Set(
        paths.map(path => statSync(path)).map(stat => `${stat.isDirectory()} ${(stat.mode & 0o777).toString(8)}`),
      );
    };
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'PG_VERSION'), 0o666);
    const database = open(dataDir);
    await newTenant(database);
    await database.close();
    assert.deepEqual(modes(), new Set(['true 700', 'false 600']));
  });

  test('leaves the event loop free while it works', async () => {
    const database = open(dataDir, 3000);
    await database.ping();
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    await assert.rejects(database.forTenant(await newTenant(database)).read({ name: null, text: endless, values: [] }));
    clearInterval(ticking);
    await database.close();
    assert.ok(ticks > 10, `${ticks} ticks`);
  });

  test('is refused to a second opener, who learns the process that has it', async () => {
    const database = open(dataDir);
    assert.throws(
      () => open(dataDir),
      (error: unknown) => error instanceof EmbeddedDatabaseError && error.message.includes(`process ${process.pid}:`),
    );
    await database.close();
  });

  test('says what to do with a folder that is not a whole database, and does not keep the lock', () => {
    const broken = join(root, 'broken');
    mkdirSync(join(broken, 'database'), { recursive: true });
    writeFileSync(join(broken, 'database', 'postgresql.conf'), '');
    for (const _ of [1, 2])
      assert.throws(() => open(broken), {
        name: 'EmbeddedDatabaseError',
        message: /PG_VERSION is missing.*remove that folder/,
      });
  });

  test('that is marked as unfinished is made again, whatever there is of it', async () => {
    const unfinished = join(root, 'unfinished');
    mkdirSync(join(unfinished, 'database'), { recursive: true });
    writeFileSync(join(unfinished, 'database', 'PG_VERSION'), '18');
    writeFileSync(join(unfinished, 'database.unfinished'), '');
    const database = open(unfinished);
    await database.ping();
    await database.close();
    assert.ok(!existsSync(join(unfinished, 'database.unfinished')));
  });

  test('that was killed while it was being made is made again', async () => {
    const killed = join(root, 'killed');
    const script = `
      const { openDatabase } = await import(${JSON.stringify(new URL('../../../src/db/open.ts', import.meta.url).href)});
      const database = openDatabase({ url: null, dataDir: ${JSON.stringify(killed)} });
      console.log('opening');
      await database.ping();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const version = join(killed, 'database', 'PG_VERSION');
    await until('the database is begun', () => existsSync(version) || child.exitCode !== null);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(existsSync(join(killed, 'database.unfinished')));
    const database = open(killed);
    await database.migrate();
    await database.close();
    assert.ok(!existsSync(join(killed, 'database.unfinished')));
  });
});
