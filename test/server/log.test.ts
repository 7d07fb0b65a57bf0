import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { DatabaseError } from '../../src/db/errors.ts';
import { followSignal, openLog } from '../../src/server/log.ts';
import { childEnvironment } from '../support/child-environment.ts';

for (const [configured, other] of [
  ['info', 'debug'],
  ['silent', 'debug'],
  ['debug', 'info'],
  ['trace', 'info'],
]) {
  test(`SIGUSR2 switches the level from ${configured} to ${other} and back, and says so`, () => {
    const lines: string[] = [];
    const log = openLog(String(configured), undefined, { write: line => void lines.push(line) });
    const signals = new EventEmitter();
    followSignal(log, signals);
    const levels = [1, 2, 3].map(() => {
      signals.emit('SIGUSR2');
      return log.level;
    });
    assert.deepEqual(levels, [other, configured, other]);
    assert.deepEqual(
      lines.map(line => JSON.parse(line).log_level),
      levels,
    );
  });
}

test('a database that is not available is a line with its reason; other errors have their place in the code', () => {
  const lines: string[] = [];
  const log = openLog('warn', undefined, { write: line => void lines.push(line) });
  log.warn({ err: new DatabaseError('unavailable', new Error('No connection was free.')) }, 'It waits.');
  log.warn({ err: new DatabaseError('other', new Error('no such column')) }, 'It has failed.');
  const [waits, fails] = lines.map(line => JSON.parse(line).err);
  assert.deepEqual(waits, {
    type: 'DatabaseError',
    message: 'The database is not available. (No connection was free.)',
  });
  assert.match(fails.stack, /log\.test\.ts/);
  assert.match(fails.message, /no such column/);
});

test('a process ends although nobody reads its log any more', async t => {
  const script = `
    import { openLog } from './src/server/log.ts';
    const log = openLog('warn');
    process.stdin.once('data', () => {
      log.error('It fails.');
      log.error('It ends.');
      process.exit(3);
    });
    process.stdout.write('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env: childEnvironment });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.stderr.destroy();
  child.stdin.write('end');
  assert.deepEqual(await once(child, 'exit'), [3, null]);
});
