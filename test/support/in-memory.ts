import type { DatabaseOptions } from '../../src/db/open.ts';

/** Milliseconds; long enough for a slow machine. */
const wide = 120_000;

/**
 * Options of a database in memory, with timeouts that no test reaches unless it sets shorter ones.
 * A server that a test starts as a process imports them from here: without the test runner, which would follow its promises, and the
 * watch of statements, which would parse them for nobody.
 */
export const inMemory = {
  url: null,
  dataDir: 'memory://',
  poolSize: 5,
  statementTimeoutMs: wide,
  lockTimeoutMs: wide,
  poolTimeoutMs: wide,
} satisfies DatabaseOptions;
