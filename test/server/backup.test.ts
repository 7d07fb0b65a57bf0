import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { run } from '../../src/cli/run.ts';
import type { Tenant } from '../../src/core/principal.ts';
import type { Database } from '../../src/db/open.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { readConfig } from '../../src/server/config/config.ts';
import { loadKeys } from '../../src/server/load-keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { type App, startApp } from '../support/app.ts';
import { openEmbedded } from '../support/database.ts';
import { readBytes, readEverything } from '../support/every-get.ts';

const folder = mkdtempSync(join(tmpdir(), 'backup-'));
const environmentOf = (dataDir: string) => ({ DATA_DIR: dataDir, BASE_DOMAIN: 'test' });
const own = environmentOf(join(folder, 'own'));
const other = environmentOf(join(folder, 'other'));
const target = join(folder, 'backup');

/** Runs a command, on a database if one is open. */
const staffing = async (environment: Record<string, string>, database: Database | null, ...args: string[]) => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const opened = database && { open: () => ({ ...database, migrate: async () => [], close: async () => {} }) };
  const status = await run(args, { environment, out: write, note: write, directory: folder, ...opened });
  return { status, output: lines.join('\n') };
};

/** A service on the database of a data folder. */
const serve = async (environment: Record<string, string>): Promise<{ database: Database; app: App }> => {
  const config = readConfig(environment);
  const database = await openEmbedded(config.dataDir);
  await database.migrate();
  const app = await startApp(database, { keys: loadKeys(config), files: { folder: config.files.folder } });
  return { database, app };
};

describe('a backup of the embedded database and the files, made while requests are served', () => {
  let served: Awaited<ReturnType<typeof serve>>;
  let client: { tenant: Tenant; token: string };
  let cursor: string;
  let responses: Awaited<ReturnType<typeof readEverything>>;

  before(async () => {
    served = await serve(own);
    const { database, app } = served;
    const demo = await fillDemo(database, { size: 'small', baseDomain: 'test', sandbox: true });
    await fillDemoFiles(database, app.files, demo);
    const keys = loadKeys(readConfig(own));
    const { token } = await createTokens({ database, keys, issuer: 'staffing' }).issueToken(
      demo.tenant,
      demo.apiUser.id,
      3600,
    );
    client = { tenant: demo.tenant, token };
    cursor = (await app.callAs(client, 'GET', '/changes?after=now')).body.next;
    responses = await readEverything(app, client);
  });
  after(async () => {
    await served.app.close();
    await served.database.close();
    rmSync(folder, { recursive: true });
  });

  it('is rejected inside the data folder, in a folder that exists, and in one that is nowhere', async () => {
    mkdirSync(join(folder, 'existing'));
    for (const name of [join('own', 'backup'), join('own', 'files', 'backup'), 'existing', join('nowhere', 'backup')]) {
      const { status, output } = await staffing(own, served.database, 'backup', name);
      assert.equal(status, 1, output);
    }
    assert.deepEqual(readdirSync(join(folder, 'existing')), []);
  });

  it('is made while other requests succeed, has files of its own, and only its user can read it', async () => {
    let done = false;
    const reading = (async () => {
      const statuses = new Set<number>();
      while (!done) statuses.add((await served.app.callAs(client, 'GET', '/clients?limit=5')).status);
      return [...statuses];
    })();
    const { status, output } = await staffing(own, served.database, 'backup', 'backup');
    done = true;
    assert.equal(status, 0, output);
    assert.deepEqual(
      (await reading).filter(status => status !== 200 && status !== 503),
      [],
    );
    assert.equal(statSync(target).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(target).sort(), ['backup.json', 'content', 'database', 'keys']);
    const contents = readdirSync(join(target, 'content'), { recursive: true, withFileTypes: true });
    const links = contents
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).nlink);
    assert.deepEqual([...new Set(links)], [1], 'copies of their own');
    assert.equal((await served.app.callAs(client, 'GET', '/clients?limit=5')).status, 200);
  });

  it('keeps nothing of what changes afterwards, not even the deletion of a file', async () => {
    const { app } = served;
    const created = await app.callAs(client, 'POST', '/clients', { body: { company: 'Too late GmbH' } });
    assert.equal(created.status, 201);
    for await (const { key } of app.files.store.list(client.tenant.id)) await app.files.store.delete(key);
  });

  it('is not restored over a running server, nor from a folder that is no complete backup', async () => {
    const beside = await staffing(own, null, 'restore', 'backup');
    assert.equal(beside.status, 1);
    assert.match(beside.output, /restored while the server is stopped\. .*in use by process/);
    const within = await staffing(own, served.database, 'restore', 'backup');
    assert.deepEqual([within.status, within.output], [1, beside.output], 'as a command that runs in the server');
    const { status, output } = await staffing(other, null, 'restore', 'existing');
    assert.equal(status, 1);
    assert.match(output, /is not a complete backup/);
    assert.equal(existsSync(join(folder, 'other', 'database')), false);
  });

  it('restored elsewhere, responds to every GET of the document with the same bytes, with the same token', async () => {
    const { status, output } = await staffing(other, null, 'restore', 'backup');
    assert.equal(status, 0, output);
    await served.app.close();
    await served.database.close();
    served = await serve(other);
    assert.ok(responses.size > 100);
    const failed = [...responses].filter(([, { status }]) => status >= 300).map(([path, { status }]) => [path, status]);
    assert.deepEqual(failed, []);
    const again = await readEverything(served.app, client);
    const different = [...responses].flatMap(([path, response]) =>
      isDeepStrictEqual(again.get(path), response) ? [] : [path],
    );
    assert.deepEqual(different, []);
  });

  it('starts a new epoch of the journal: a cursor of the time before has expired', async () => {
    const { status, body } = await served.app.callAs(client, 'GET', `/changes?after=${cursor}`);
    assert.deepEqual([status, body.code], [410, 'cursor_expired']);
    assert.equal((await served.app.callAs(client, 'GET', '/changes?limit=1')).status, 200);
  });

  it('restored over other data, moves them aside', async () => {
    const { status, output } = await staffing(other, null, 'restore', 'backup');
    assert.equal(status, 1, 'the database is open');
    assert.match(output, /in use/);
    await served.app.close();
    await served.database.close();
    const again = await staffing(other, null, 'restore', 'backup', '--json');
    assert.equal(again.status, 0, again.output);
    const { before } = JSON.parse(again.output);
    assert.equal(before.length, 3);
    for (const path of before) assert.ok(existsSync(path), path);
    served = await serve(other);
    assert.deepEqual(await readBytes(served.app, client, '/me'), responses.get('/me'));
  });
});
