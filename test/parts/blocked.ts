import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** A test whose process waits in native code, for the test that a run of it ends. */
test('a test that waits in native code', () => {
  spawnSync('sleep', ['60']);
});
