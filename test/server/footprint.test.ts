import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import nodeFlags from '../../scripts/bin/node-flags.cjs';
import { loadCertificate } from '../../src/server/tls/certificate.ts';
import { scratchUrl } from '../support/database.ts';

/** Has a process write the URLs of the modules that it has loaded, and the bytes of its space for young objects, when it ends. */
const watch = (file: string): string => `
  import { writeFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  import { getHeapSpaceStatistics } from 'node:v8';
  const modules = [];
  registerHooks({ load: (url, context, next) => (modules.push(url), next(url, context)) });
  process.once('exit', () => {
    const { space_size: young } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    writeFileSync(${JSON.stringify(file)}, JSON.stringify({ modules, young }));
  });
`;

describe('a server on Postgres that has started and was asked nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'footprint-'));
  let seen: { readonly modules: readonly string[]; readonly young: number };

  before(async () => {
    const file = join(folder, 'seen.json');
    await loadCertificate({ tls: null, dataDir: folder, baseDomain: 'localhost', production: false });
    const args = [...nodeFlags, '--import', `data:text/javascript,${encodeURIComponent(watch(file))}`];
    const env = {
      ...{ PATH: process.env.PATH, DATA_DIR: folder, DATABASE_URL: await scratchUrl(), LOG_LEVEL: 'warn' },
      ...{ HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0' },
    };
    const child = spawn(process.execPath, [...args, 'src/main.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child, 'exit');
    seen = JSON.parse(readFileSync(file, 'utf8'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has loaded nothing that only some servers or requests need', () => {
    assert.ok(seen.modules.length > 500);
    const rare = [
      ...['@aws-sdk', '@electric-sql', 'commander', 'file-type', 'ioredis', '@peculiar'].map(
        name => `/node_modules/${name}/`,
      ),
      ...['cli/', 'demo/', 'administration/api/administration.', 'server/backup/'].map(name => `/src/${name}`),
    ];
    assert.deepEqual(
      seen.modules.filter(url => rare.some(part => url.includes(part))),
      [],
    );
  });

  it('has returned the memory in which the objects of its start were made', () => {
    assert.ok(seen.young <= 8 * 1_048_576, `${seen.young} bytes`);
  });
});
