import { test } from 'node:test';

/** A test during which the process is killed, for the test that a run tells it. */
test('a test that passes', () => {});
test('a test that is killed', () => {
  process.stderr.write('The last words.\n', () => process.kill(process.pid, 'SIGKILL'));
  return new Promise(() => {});
});
