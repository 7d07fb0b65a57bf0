import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Breach, judgeWork } from '../../../src/domain/rules/judge.ts';
import { nowhere, type WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName, RuleBasis } from '../../../src/domain/rules/rule.ts';
import { subtract } from '../../../src/domain/time/interval.ts';
import { DAYS, MINUTE, month, months, parameters } from './arbitrary.ts';
import { evaluate } from './naive.ts';
import { rule, somebody } from './scene.ts';

/** The time of a piece without its break. */
const partsOf = ({ planned: { from, to, pause } }: WorkPiece) => subtract({ from, to }, pause ?? { from: to, to });

const order = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('working-time rules against minute by minute', () => {
  for (const kind of Object.keys(parameters) as KindName[]) {
    // Three months, since it counts months.
    const spread = kind === 'hire_out' ? 3 : 1;
    it(`${kind}: the same breaches in random months`, () => {
      const cases = fc.constantFrom(...months).chain(([zone, date]) => {
        const base = Date.parse(`${date}T00:00:00Z`) / 1000;
        const basis = fc.constantFrom<RuleBasis>('planned', 'worked', 'both');
        return fc.record({
          zone: fc.constant(zone),
          base: fc.constant(base),
          basis,
          pieces: month(base, spread),
          given: parameters[kind],
        });
      });
      fc.assert(
        fc.property(cases, ({ zone, base, basis, pieces, given }) => {
          const period = [base / 60 - 20 * 1440, base / 60 + (DAYS * spread + 20) * 1440] as const;
          const expected = evaluate(kind, given, pieces, basis, zone, period);
          const found = judgeWork(somebody, pieces, [rule(kind, given, { basis, timeZone: zone })]);
          const said = found.map(({ actual, from, to, assignmentId: passing }) => ({
            actual,
            from: from / MINUTE,
            to: to / MINUTE,
            passing,
          }));
          assert.deepEqual(said.sort(order), expected.toSorted(order));
        }),
        { numRuns: 60 },
      );
    });

    it(`${kind}: busy dates count as work, and no breach is about them alone`, () => {
      const base = Date.parse('2026-03-15T00:00:00Z') / 1000;
      fc.assert(
        fc.property(month(base), parameters[kind], fc.integer(), (all, given, busy) => {
          const isBusy = (index: number): boolean => ((busy >> index) & 3) === 3;
          const pieces = all.slice(0, 10).map(piece => ({ ...piece, worked: [] }));
          const some = pieces.map(
            (piece, index): WorkPiece =>
              isBusy(index) ? { ...piece, assignmentId: null, busyDateId: index + 1, placement: nowhere } : piece,
          );
          const as = pieces.map((piece, index) => (isBusy(index) ? { ...piece, placement: nowhere } : piece));
          const judged = rule(kind, given);
          const spans = (found: readonly Breach[]) =>
            found.map(({ actual, from, to }) => ({ actual, from, to })).sort(order);
          // A rest is about work at either end, also if a busy date begins or ends there at the same instant.
          const isAtEnd = ({ from, to }: Breach): boolean =>
            kind === 'rest' &&
            pieces.some(
              (piece, index) => !isBusy(index) && partsOf(piece).some(part => part.to === from || part.from === to),
            );
          const expected = judgeWork(somebody, as, [judged]).filter(
            breach => isAtEnd(breach) || breach.assignmentIds.some(id => !isBusy(id - 1)),
          );
          assert.deepEqual(spans(judgeWork(somebody, some, [judged])), spans(expected));
        }),
        { numRuns: 60 },
      );
    });
  }
});
