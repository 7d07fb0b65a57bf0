import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

/** A test that passes but for a promise that is rejected and that it does not await, for the test that a run of it fails. */
test('a test that does not await a promise', async () => {
  void Promise.resolve().then(() => {
    throw new Error('that nobody awaits');
  });
  await setImmediate();
});
