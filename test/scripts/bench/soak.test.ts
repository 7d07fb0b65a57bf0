import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brokenLimits, growthOf, type SoakSample } from '../../../scripts/bench/soak.ts';

const samplesOf = (growth: number, delayMs: number): readonly SoakSample[] =>
  Array.from({ length: 20 }, (_, index) => ({
    minutes: 3 + index / 4,
    // Garbage that is collected now and then is no growth.
    resident: 200 + (growth * index) / 4 + (index % 2) * 3,
    delayMs: index === 7 ? 400 : delayMs,
  }));

describe('npm run soak', () => {
  it('finds the growth of memory under what garbage adds', () => {
    assert.ok(Math.abs(growthOf(samplesOf(2, 10)) - 2) < 0.5);
    assert.ok(Math.abs(growthOf(samplesOf(0, 10))) < 0.5);
  });

  it('reports growth and delays beyond the limits, but not a single late turn', () => {
    assert.deepEqual(brokenLimits(samplesOf(0, 10)), []);
    assert.match(brokenLimits(samplesOf(3, 10)).join(), /^Resident memory grows by 3\.\d+ MiB a minute\.$/);
    assert.match(brokenLimits(samplesOf(0, 60)).join(), /^The event loop is late by 60 ms \(p99\)\.$/);
  });
});
