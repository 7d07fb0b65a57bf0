import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparedOf, linesOf } from '../../../scripts/bench/against/report.ts';
import { compare } from '../../../scripts/bench/compare.ts';
import type { Measured } from '../../../scripts/bench/report.ts';

const rounds = (contestant: string, cpus: readonly number[], workload = 'read', own = false): readonly Measured[] =>
  cpus.map(cpu => ({
    ...{ workload, contestant, ownMs: own ? cpu : 0, cpuMs: own ? null : cpu },
    ...{ requestsPerSecond: 1, p50Ms: 1, p99Ms: 1, rssMiB: 1 },
  }));

const of = (ours: number, again: number, theirs: number, theirsAgain = theirs, own = false) => {
  const all = { this: ours, 'this, again': again, other: theirs, 'other, again': theirsAgain };
  return comparedOf(Object.entries(all).map(([name, cpu]) => rounds(name, [cpu, 9 * cpu, cpu], 'read', own)))[0];
};

describe('a build against another one', () => {
  it('has the ratio of the median CPU of both processes of each', () => {
    assert.deepEqual(of(1, 1, 2), {
      ...{ workload: 'read', thisMs: 1, otherMs: 2, ratio: 0.5, spread: 0, isWorse: false },
    });
    assert.equal(of(1, 1, 2, 2, true)?.ratio, 0.5);
  });

  it('is worse beyond five per cent, or beyond what two processes of one build differ by', () => {
    assert.equal(of(1.05, 1.05, 1)?.isWorse, false);
    assert.equal(of(1.06, 1.06, 1)?.isWorse, true);
    assert.equal(of(1.0, 1.2, 1)?.isWorse, false);
    assert.equal(of(1.2, 1.2, 0.9, 1.2)?.isWorse, false);
    assert.equal(of(1.5, 1.4, 1)?.isWorse, true);
    assert.equal(of(Number.NaN, 1, 1)?.isWorse, true);
  });

  it('has a line for each workload, in which a worse one is marked', () => {
    const named = (workload: string, cpu: number) =>
      ['this', 'this, again', 'other', 'other, again'].map(name =>
        rounds(name, [name.startsWith('this') ? cpu : 1], workload),
      );
    assert.deepEqual(linesOf(comparedOf([...named('read', 1), ...named('list50', 1.25)])), [
      'workload  this, CPU ms  other, CPU ms  ratio  spread',
      'read              1.00           1.00  1.000   0.0 %',
      'list50            1.25           1.00  1.250   0.0 %  worse',
    ]);
  });

  it('needs a checkout with its dependencies', async () => {
    const lines: string[] = [];
    assert.equal(await compare(['read', '--against', 'docs'], line => lines.push(line)), 1);
    assert.match(lines.join('\n'), /docs is no checkout of a build with its dependencies installed\.$/);
    assert.equal(await compare(['nothing', '--against', 'docs'], line => lines.push(line)), 1);
    assert.match(lines.join('\n'), /There is no workload nothing/);
  });
});
