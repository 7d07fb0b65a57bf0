import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extents, type Grown, grownTenants, growthLines } from '../../../scripts/bench/growth.ts';

const grown = (own: number, cpuMs: number | null, p50Ms: number): Grown => ({
  ...{ tenants: 3, all: 30_000, own },
  measured: {
    ...{
      workload: 'list50',
      contestant: 'server',
      ownMs: 1,
      cpuMs,
      requestsPerSecond: 200,
      p50Ms,
      p99Ms: 9,
      rssMiB: 150,
    },
  },
});

describe('the benchmark of growth', () => {
  it('ends with 200 tenants and 2,000,000 assignments, the tenant of the beginning and a larger one than all others among them', () => {
    for (const extent of Object.values(extents)) {
      const [first, largest, ...others] = grownTenants(extent);
      const sizes = others.map(({ size }) => size);
      assert.equal(first?.size, extent.first);
      assert.ok(largest && largest.size > Math.max(extent.first, ...sizes));
      assert.equal(others.length, extent.tenants - 2);
      assert.equal(
        sizes.reduce((sum, size) => sum + size, first.size + largest.size),
        extent.all,
      );
    }
    const { tenants, all, first } = extents.whole;
    assert.deepEqual({ tenants, all, first }, { tenants: 200, all: 2_000_000, first: 20_000 });
  });

  it('reports CPU and latency against those of the tenant that is alone', () => {
    const [, alone, beside] = growthLines([grown(20_000, 2, 4), grown(20_000, 3, 5)]);
    assert.match(alone ?? '', /^ *20,000 +30,000 +3 +2\.00 +1\.00 +1\.00 +1\.00 +4\.00 +1\.00$/);
    assert.match(beside ?? '', /^ *20,000 +30,000 +3 +3\.00 +1\.50 +1\.00 +2\.00 +5\.00 +1\.25$/);
  });

  it('compares the CPU of the server alone where the database is on another machine', () => {
    const [, , beside] = growthLines([grown(20_000, null, 4), grown(20_000, null, 4)]);
    assert.match(beside ?? '', / 1\.00 +1\.00 +1\.00 +NaN +4\.00 +1\.00$/);
  });
});
