import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { breakGuard } from '../../../scripts/mutate/mutation.ts';
import { simulate } from '../../../scripts/simulate/main.ts';
import { points } from '../../../scripts/simulate/points.ts';

const root = join(import.meta.dirname, '../../..');
/** Requests of the callers in each run; SIMULATE_REQUESTS=400 for more than the short form. */
const requests = Number(process.env.SIMULATE_REQUESTS ?? 50);

describe('a simulation', () => {
  it('has the same requests and responses again for the same seed, and everything holds', async () => {
    const [first, again] = [await simulate(1, requests), await simulate(1, requests)];
    assert.deepEqual(first.violations, []);
    assert.deepEqual(again, first);
    assert.ok(first.succeeded > 300);
  });

  it('holds with another seed', async () => {
    const other = await simulate(2, requests);
    assert.deepEqual(other.violations, []);
    assert.ok(other.succeeded > 300);
  });

  it('can put back defects of earlier releases', () => {
    for (const [index, point] of points.entries()) {
      const text = readFileSync(join(root, point.file), 'utf8');
      assert.notEqual(breakGuard({ ...point, id: `point ${index + 1}` }, text), text);
    }
  });
});
