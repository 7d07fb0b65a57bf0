import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workerLines } from '../../../scripts/bench/workers.ts';

describe('the benchmark of workers', () => {
  it('reports the median requests per second of one worker and of two, and how many times as many the second is', () => {
    assert.deepEqual(
      workerLines([
        [200, 100, 300],
        [500, 340, 100],
      ]),
      ['one worker: 200 requests/s', 'two workers: 340 requests/s, 1.70 times'],
    );
  });
});
