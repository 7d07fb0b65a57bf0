import { test } from 'node:test';

/** A test that keeps its process busy for ever, for the test that a run of it ends. */
test('a test that never lets go', function spin() {
  for (;;);
});
