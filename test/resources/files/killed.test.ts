import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { keyOf } from '../../../src/files/files.ts';
import { sweep } from '../../../src/resources/files/sweep.ts';
import { generateKeySet, parseKeySet } from '../../../src/tenancy/keys.ts';
import { type App, type Client, startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';

const day = 86_400_000;
const script = new URL('../../support/dying-upload.ts', import.meta.url).pathname;

describe('a server that is killed during an upload', () => {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'));
  const keys = generateKeySet('HS256');
  let url: string;
  let database: Database;
  let app: App;
  let client: Client;

  before(async () => {
    url = await migratedUrl();
    database = openDatabase({ ...inMemory, url });
    app = await startApp(database, { keys: parseKeySet(keys, 'HS256'), files: { folder } });
    client = await app.newClient();
    assert.equal((await client.call('POST', '/files', { body: Buffer.from('kept') })).status, 201);
  });
  after(async () => {
    await app.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const dyingUpload = async (point: string): Promise<void> => {
    const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
    const env = { ...rest, POINT: point, FOLDER: folder, KEYS: keys, DATABASE_URL: url };
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const [port] = await once(child.stdout, 'data');
    const headers = {
      Host: `${client.tenant.slug}.test`,
      Authorization: `Bearer ${client.token}`,
      'X-Forwarded-Proto': 'https',
    };
    const target = { host: '127.0.0.1', port: Number(String(port)), path: '/api/v1/files', method: 'POST', headers };
    const broken = await new Promise<boolean>(resolve => {
      request(target, () => resolve(false))
        .on('error', () => resolve(true))
        .end(Buffer.alloc(200_000, 1));
    });
    if (!broken) child.kill();
    assert.deepEqual([broken, (await ended)[1]], [true, 'SIGKILL']);
  };

  const contents = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of app.files.store.list(client.tenant.id)) found.push(key);
    return found.sort();
  };
  const rows = async (): Promise<string[]> =>
    (await client.call('GET', '/files?fields=path')).body
      .map(({ path }: { path: string }) => keyOf(client.tenant.id, path))
      .sort();
  const temporary = () => (existsSync(app.files.temporary) ? readdirSync(app.files.temporary).length : 0);

  const points: [point: string, says: string, left: { temporary: number; contents: number; rows: number }][] = [
    ['write', 'while the content arrives', { temporary: 1, contents: 0, rows: 0 }],
    ['put', 'before the content is in the storage', { temporary: 1, contents: 0, rows: 0 }],
    ['stored', 'before the file has a record', { temporary: 0, contents: 1, rows: 0 }],
    ['committed', 'before the response', { temporary: 0, contents: 1, rows: 1 }],
  ];
  for (const [point, says, left] of points) {
    it(`${says} leaves nothing that the next sweep does not remove`, async () => {
      const before = { contents: (await contents()).length, rows: (await rows()).length };
      await dyingUpload(point);
      const now = { temporary: temporary(), contents: (await contents()).length, rows: (await rows()).length };
      const more = { temporary: now.temporary, contents: now.contents - before.contents, rows: now.rows - before.rows };
      assert.deepEqual(more, left);
      const { lost } = await sweep(app.files, database, Date.now() + 2 * day);
      assert.deepEqual([lost, temporary()], [0, 0]);
      assert.deepEqual(await contents(), await rows());
    });
  }
});
