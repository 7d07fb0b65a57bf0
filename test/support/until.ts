import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds; long enough for a busy machine, and shorter than the time of a test. */
const patience = 120_000;

/**
 * Waits until something is so.
 * @throws AssertionError that says what is not so in time, so that the test does not go on for ever
 */
export const until = async (what: string, isSo: () => unknown): Promise<void> => {
  for (const end = performance.now() + patience; !(await isSo()); await turn())
    assert.ok(performance.now() < end, `Not within ${patience / 1000} seconds: ${what}.`);
};
