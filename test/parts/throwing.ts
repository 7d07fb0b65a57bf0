import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

/** A test that passes but for a callback that throws, for the test that a run of it fails. */
test('a test whose callback throws', async () => {
  setImmediate(() => {
    throw new Error('that nobody catches');
  });
  await turn();
  await turn();
});
