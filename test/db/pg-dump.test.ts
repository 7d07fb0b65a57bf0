import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { run } from '../../src/cli/run.ts';
import type { Database } from '../../src/db/open.ts';
import { openDatabase } from '../../src/db/open.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { type App, startApp } from '../support/app.ts';
import { inMemory, scratchUrl } from '../support/database.ts';
import { readEverything } from '../support/every-get.ts';

/** pg_dump has to be of the server's version: the packages of the embedded server have none. */
const programs = process.env.TEST_POSTGRES_BIN ?? '';
const skip = existsSync(join(programs, 'pg_dump')) ? false : 'TEST_POSTGRES_BIN names no folder with pg_dump';

describe('a dump of a Postgres database', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'pg-dump-'));
  const keys = generateKeySet('HS256');
  const opened: { readonly database: Database; readonly app: App }[] = [];
  const serve = async (url: string) => {
    const database = openDatabase({ ...inMemory, url });
    await database.migrate();
    const app = await startApp(database, { keys: parseKeySet(keys, 'HS256'), files: { folder } });
    opened.push({ database, app });
    return { database, app };
  };
  after(async () => {
    for (const { database, app } of opened) {
      await app.close();
      await database.close();
    }
    rmSync(folder, { recursive: true });
  });

  it('restored elsewhere, responds to every GET of the document with the same bytes, in a new epoch of the journal', async () => {
    const [url, other] = [await scratchUrl(), await scratchUrl()];
    const { database, app } = await serve(url);
    const demo = await fillDemo(database, { size: 'small', baseDomain: 'test', sandbox: true });
    await fillDemoFiles(database, app.files, demo);
    const tokens = createTokens({ database, keys: parseKeySet(keys, 'HS256'), issuer: 'staffing' });
    const { token } = await tokens.issueToken(demo.tenant, demo.apiUser.id, 3600);
    const client = { tenant: demo.tenant, token };
    const before = await readEverything(app, client);
    assert.ok(before.size > 100);
    const cursor = (await app.callAs(client, 'GET', '/changes?after=now')).body.next;

    const file = join(folder, 'staffing.dump');
    const program = (name: string, ...args: string[]) => execFileSync(join(programs, name), args, { stdio: 'pipe' });
    program('pg_dump', '--format=custom', `--file=${file}`, url);
    program('pg_restore', '--single-transaction', `--dbname=${other}`, file);
    const environment = { DATABASE_URL: other, DATA_DIR: folder, BASE_DOMAIN: 'test' };
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    for (const command of [['migrate'], ['journal', 'renew']])
      assert.equal(
        await run(command, { environment, out: write, note: write, directory: folder }),
        0,
        lines.join('\n'),
      );

    const restored = await serve(other);
    const again = await readEverything(restored.app, client);
    const different = [...before].flatMap(([path, response]) =>
      isDeepStrictEqual(again.get(path), response) ? [] : [path],
    );
    assert.deepEqual(different, []);
    const { status, body } = await restored.app.callAs(client, 'GET', `/changes?after=${cursor}`);
    assert.deepEqual([status, body.code], [410, 'cursor_expired']);
  });
});
