import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { generateKeySet } from '../../../src/tenancy/keys.ts';
import { scratchUrl } from '../../support/database.ts';

const script = `
  const { startContest } = await import('${new URL('../../../scripts/bench/contestants.ts', import.meta.url)}');
  const { contestants } = await startContest(process.env.URL, process.env.KEYS, [], { WORKERS: '2' });
  process.stdout.write(String(contestants.length), () => process.kill(process.pid, 'SIGKILL'));`;

it('the processes of a benchmark that is killed end with it', { timeout: 120_000 }, async test => {
  const folder = mkdtempSync(join(tmpdir(), 'staffing-bench-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const benchmark = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env.PATH, TMPDIR: folder, URL: await scratchUrl(), KEYS: generateKeySet('HS256') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let started = '';
  benchmark.stdout.on('data', chunk => {
    started += chunk;
  });
  benchmark.stderr.pipe(process.stderr);
  // The processes share its standard error output, which closes with the last of them.
  const [, signal] = await once(benchmark, 'close');
  assert.deepEqual([signal, started], ['SIGKILL', '1']);
});
