import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { inMemory, migratedUrl } from '../support/database.ts';
import { Importer, send } from './importer.ts';

const script = new URL('dying-worker.ts', import.meta.url).pathname;

/** Rows of more than three batches: new clients, rows without an external id, some that fail, and at the end changes of the first ones. */
const added = Array.from({ length: 2_070 }, (_, index) => {
  const kind = index % 9;
  if (kind === 7) return { external_id: `K-${index}` };
  if (kind === 8) return { company: `Nameless ${index}` };
  return { external_id: `K-${index}`, company: `Client ${index}` };
});
const changed = Array.from({ length: 230 }, (_, index) => ({ external_id: `K-${index * 9}`, city: `Town ${index}` }));
const rows = [...added, ...changed];

describe('an import whose process is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  let url: string;
  let database: Database;
  let app: App;

  before(async () => {
    url = await migratedUrl();
    database = openDatabase({ ...inMemory, url });
    app = await startApp(database, { files: { folder } });
  });
  after(async () => {
    await app.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const killed = async ({ tenant }: Client, place: string): Promise<string | null> => {
    const child = spawn(process.execPath, [script], {
      env: {
        ...process.env,
        ...{ DATABASE_URL: url, FOLDER: folder, DIE: place },
        TENANT: JSON.stringify({ ...tenant, modules: [...tenant.modules] }),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [, signal] = await once(child, 'exit');
    return signal;
  };

  for (const [place, committed] of [
    ['before commit', 1_000],
    ['after commit', 1_500],
  ] as const) {
    it(`${place} continues where it was: no row is lost, and none written twice`, { timeout: 120_000 }, async () => {
      const client = await app.newClient();
      const { body: start } = await client.call('GET', '/changes?after=now');
      const accepted = await send(client, '/clients/import', rows);
      assert.equal(await killed(client, place), 'SIGKILL');
      const { body: half } = await client.call('GET', `/imports/${accepted.body.id}`);
      assert.deepEqual([half.status, half.rows], ['running', committed]);
      await new Importer(app).work(client);
      const { body: whole } = await client.call('GET', `/imports/${accepted.body.id}`);
      assert.deepEqual(
        [whole.status, whole.rows, whole.created, whole.updated, whole.unchanged, whole.failed],
        ['done', 2_300, 1_840, 230, 0, 230],
      );
      const { body: results } = await client.call('GET', `/imports/${accepted.body.id}/results?fields=line`);
      assert.deepEqual(
        results.map(({ line }: { line: number }) => line),
        rows.map((_, index) => index + 1),
      );
      const { body: clients } = await client.call('GET', '/clients?fields=company,city');
      const companies = clients.map(({ company }: { company: string }) => company);
      assert.deepEqual([companies.length, new Set(companies).size], [1_840, 1_840]);
      assert.equal(clients.filter(({ city }: { city: string | null }) => city !== null).length, 230);
      let [changes, after] = [0, start.next];
      for (let more = true; more; ) {
        const { body } = await client.call('GET', `/changes?limit=1000&after=${after}`);
        changes += body.changes.length;
        after = body.next;
        more = body.changes.length > 0;
      }
      assert.ok(changes >= 1_840 && changes <= 2_070, `${changes} changes`);
    });
  }

  it('is written once by two workers at a time', { timeout: 120_000 }, async () => {
    const client = await app.newClient();
    const accepted = await send(client, '/clients/import?mode=create', rows.slice(0, 1_100));
    await Promise.all([1, 2, 3].map(() => new Importer(app).work(client)));
    const { body } = await client.call('GET', `/imports/${accepted.body.id}`);
    assert.deepEqual([body.status, body.rows], ['done', 1_100]);
    const { body: results } = await client.call('GET', `/imports/${accepted.body.id}/results?count=true&limit=1`);
    assert.equal(results.length, 1);
    const { headers } = await client.call('GET', '/clients?count=true&limit=1');
    assert.equal(Number(headers['x-total-count']), body.created);
  });
});
