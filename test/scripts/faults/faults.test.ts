import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killedService } from '../../../scripts/faults/faults/kills.ts';
import { faults } from '../../../scripts/faults/list.ts';
import { faultTable } from '../../../scripts/faults/report.ts';
import { tryFault } from '../../../scripts/faults/trial.ts';

describe('npm run faults', () => {
  it('finds every acknowledged write once, and in order, after the service was killed', async () => {
    const outcome = await tryFault(killedService, 'embedded', true);
    assert.deepEqual(outcome.violations, []);
    assert.ok(outcome.acknowledged > 60 && outcome.lost > 0, JSON.stringify(outcome));
  });

  it('has faults with names of their own, and of each what it happens on', () => {
    assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length);
    for (const { name, deployments, short } of faults)
      assert.ok(deployments.length > 0 && short.every(each => deployments.includes(each)), name);
  });

  it('reports what was skipped with the reason, and what was not as promised', () => {
    const outcome = { happened: '3 kills', acknowledged: 9, lost: 8, rejected: 7, repeats: 6, changes: 5 };
    const line = { name: 'a', deployment: 'postgres', seconds: 4, obstacle: null } as const;
    const [, , ...lines] = faultTable([
      { ...line, outcome: { ...outcome, violations: [] } },
      { ...line, outcome: { ...outcome, violations: ['one', 'two'] } },
      { ...line, outcome: null, obstacle: 'there is no redis-server' },
    ]).map(text => text.replaceAll(/ +/g, ' '));
    assert.deepEqual(lines, [
      '| a | postgres | 3 kills | 9 | 8 | 7 | 6 | 5 | 4 | held |',
      '| a | postgres | 3 kills | 9 | 8 | 7 | 6 | 5 | 4 | BROKEN: 2 |',
      '| a | postgres | | | | | | | | skipped: there is no redis-server |',
    ]);
  });
});
