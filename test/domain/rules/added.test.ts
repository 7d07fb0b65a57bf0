import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { judgeOfAdded } from '../../../src/domain/rules/added.ts';
import { breachesCaused } from '../../../src/domain/rules/judge.ts';
import { nowhere, type WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName, RuleBasis } from '../../../src/domain/rules/rule.ts';
import { month, months, parameters, times } from './arbitrary.ts';
import { piece, rule, somebody } from './scene.ts';

/** Whether work is further away than any rule of the month looks. */
const isFar = (piece: WorkPiece, added: WorkPiece): boolean =>
  [piece.planned, ...piece.worked].every(
    ({ from, to }) => Math.max(from - added.planned.to, added.planned.from - to) > 15 * 86_400,
  );

describe('work that is added for many', () => {
  for (const kind of Object.keys(parameters) as KindName[])
    it(`${kind}: is judged as all work of each person would be`, () => {
      const cases = fc.constantFrom(...months).chain(([zone, date]) => {
        const spread = kind === 'hire_out' ? 3 : 1;
        const base = Date.parse(`${date}T00:00:00Z`) / 1000;
        return fc.record({
          zone: fc.constant(zone),
          basis: fc.constantFrom<RuleBasis>('planned', 'worked', 'both'),
          // Of many pieces few are far from others: of few pieces, near ones are rare.
          pieces: fc.oneof(month(base, spread), month(base, spread, 5)),
          planned: times(base, spread),
          given: fc.array(parameters[kind], { minLength: 1, maxLength: 3 }),
        });
      });
      let [found, harmless] = [0, 0];
      fc.assert(
        fc.property(cases, ({ zone, basis, pieces, planned, given }) => {
          const added = {
            assignmentId: null,
            busyDateId: null,
            planned,
            worked: [],
            placement: { ...nowhere, clientId: 1 },
          };
          const others = kind === 'hire_out' ? pieces : pieces.filter(piece => !isFar(piece, added));
          const rules = given.map((one, index) => rule(kind, one, { id: index + 1, basis, timeZone: zone }));
          const expected = breachesCaused(somebody, others, [...others, added], rules);
          assert.deepEqual(judgeOfAdded(added, rules)(somebody, others, added), expected);
          if (expected.length > 0) found++;
          else harmless++;
        }),
        { numRuns: 1000 },
      );
      assert.ok(found > 0 && harmless > 0, `${found} breaches, ${harmless} times none`);
    });

  it('is one day too many after as many days as are allowed', () => {
    const work = [10, 11, 12, 13, 14].map(day => piece(day, `06-${day} 08:00 – 06-${day} 16:00`));
    const added = piece(null, '06-15 08:00 – 06-15 16:00');
    const caused = (days: number) =>
      judgeOfAdded(added, [rule('days_in_a_row', { days })])(somebody, work, added).map(({ actual }) => actual);
    assert.deepEqual([caused(5), caused(6)], [[6], []]);
  });
});
