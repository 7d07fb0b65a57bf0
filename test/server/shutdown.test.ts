import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { childEnvironment } from '../support/child-environment.ts';
import { until } from '../support/until.ts';

/** A process that waits an hour for its requests when it is to stop. */
const script = `
  const { pino } = await import('pino');
  const { stopOnSignals } = await import('./src/server/shutdown.ts');
  const forever = () => new Promise(resolve => setTimeout(resolve, 3_600_000));
  stopOnSignals({ unready: () => {}, drain: forever, close: forever }, { delay: 0, timeout: 3600 }, pino());
  setInterval(() => {}, 60_000);
  console.log('ready');`;

test('a second signal ends a server at once, with 1', async t => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env: childEnvironment });
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', chunk => {
    printed += chunk;
  });
  const ended = once(child, 'exit');
  await until('it handles signals', () => printed.includes('ready'));
  child.kill('SIGTERM');
  await until('it stops', () => printed.includes('stopping on SIGTERM'));
  // One that comes at once is the terminal's, which npm repeats.
  await until('it has ended', async () => {
    child.kill('SIGTERM');
    await pause(20);
    return child.exitCode !== null;
  });
  assert.deepEqual(await ended, [1, null]);
  assert.match(printed, /second SIGTERM, exiting immediately/);
});
