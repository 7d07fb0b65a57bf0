import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { clientDocument } from '../../scripts/generate/output/client-document.ts';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { startTenantProxy } from '../support/proxies/tenant.ts';
import { blocksOf, chapterOf } from './server.ts';

const execute = promisify(execFile);

/** What each of the printed programs prints. */
const printed = [
  'created ALSTER EVENTS',
  'created ELBE EVENTS',
  'created WESER EVENTS',
  'page Alster Events, Elbe Events',
  'page Weser Events',
  'changed Weser Events Bremen',
  '422 validation_failed company',
];

describe('an integrator who follows docs/clients.md', () => {
  const { app } = useApp(anyDatabase);
  const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'));
  const document = JSON.stringify(
    clientDocument(JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))),
  );
  let isReachable: boolean;

  before(async () => {
    isReachable = await execute('npm', ['view', 'openapi-fetch@0.17.0', 'version', '--fetch-retries=0']).then(
      () => true,
      () => false,
    );
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Runs the commands of a chapter with its files in a folder of their own, and returns what they print. */
  const follow = async (name: string, chapter: string): Promise<readonly string[]> => {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'openapi.client.json'), document);
    for (const [, file = '', code = ''] of chapter.matchAll(/`([\w.-]+)`[^`]*:\n\n```(?!sh)\w+\n([\s\S]*?)^```$/gm))
      writeFileSync(join(cwd, file), code);
    const { tenant, token } = await app.newClient();
    const proxy = await startTenantProxy(app.port, tenant.slug);
    const env = { ...process.env, API: proxy.url, TOKEN: token, npm_config_prefer_offline: 'true' };
    const commands = blocksOf(chapter, 'sh').join('');
    const { stdout } = await execute('bash', ['-euc', commands], { cwd, env }).finally(() => proxy.close());
    return stdout.trim().split('\n');
  };

  const withRegistry = (test: TestContext): boolean => {
    if (!isReachable) test.skip('the npm registry is not reachable');
    return isReachable;
  };

  it('runs the program with openapi-fetch, which compiles under strict', async t => {
    if (!withRegistry(t)) return;
    const lines = await follow('openapi-fetch', chapterOf('docs/clients.md', 'openapi-fetch'));
    assert.deepEqual(lines.slice(-printed.length), printed);
  });

  it('runs the program with orval, which compiles under strict', async t => {
    if (!withRegistry(t)) return;
    const lines = await follow('orval', chapterOf('docs/clients.md', 'orval'));
    assert.deepEqual(lines.slice(-printed.length), printed);
  });

  it('generates clients with hey-api, oazapfts and swagger-typescript-api that compile under strict', async t => {
    if (!withRegistry(t)) return;
    await follow('further', chapterOf('docs/clients.md', 'Further TypeScript generators'));
  });

  it('runs the program in Python', async () => {
    assert.deepEqual(await follow('python', chapterOf('docs/clients.md', 'Python')), printed);
  });
});
