import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { causedBy, judgeWork } from '../../../src/domain/rules/judge.ts';
import type { WorkPiece } from '../../../src/domain/rules/piece.ts';
import { at, judge, piece, rule, somebody } from './scene.ts';

const early = piece(1, '06-12 06:00 – 06-12 14:00');
const late = piece(2, '06-12 20:00 – 06-13 02:00');
const other = piece(3, '06-14 08:00 – 06-14 19:00');
const rest = rule('rest', { minutes: 660 });
const hours = rule('hours_per_day', { minutes: 600 });

const placed = (of: WorkPiece, placement: Partial<WorkPiece['placement']>): WorkPiece => ({
  ...of,
  placement: { ...of.placement, ...placement },
});

describe('a breach', () => {
  it('names the assignment with which the limit is passed, the other end of a rest, and the nearest', () => {
    const [breach] = judge(rest, early, late, other);
    assert.deepEqual(
      { ...breach, rule: undefined },
      {
        rule: undefined,
        severity: 'error',
        basis: 'planned',
        actual: 360,
        limit: 660,
        unit: 'minutes',
        from: at('06-12 14:00'),
        to: at('06-12 20:00'),
        assignmentId: 2,
        otherAssignmentId: 1,
        assignmentIds: [2, 1],
        distance: 300,
        isBetween: true,
        about: '1-2',
      },
    );
  });

  it('names at most ten assignments', () => {
    const pieces = Array.from({ length: 14 }, (_, index) =>
      piece(index + 1, `06-${10 + index} 08:00 – 06-${10 + index} 09:00`),
    );
    const [breach] = judge(rule('days_in_a_row', { days: 2 }), ...pieces);
    assert.equal(breach?.assignmentId, 3);
    assert.deepEqual(breach.assignmentIds.slice(0, 3), [3, 2, 4]);
    assert.equal(breach.assignmentIds.length, 10);
  });

  it('is exact, with its value rounded up', () => {
    const second = { ...late, planned: { ...late.planned, to: late.planned.from + 2 * 3600 + 1 } };
    const [breach] = judge(hours, early, second);
    assert.equal(breach?.actual, 601);
    assert.deepEqual(judge(hours, early, { ...second, planned: { ...second.planned, to: second.planned.to - 1 } }), []);
  });

  it('is a warning where the rule warns, and says if work was recorded', () => {
    const worked = { ...late, worked: [late.planned] };
    const [breach] = judge(rule('rest', { minutes: 660 }, { mode: 'warn' }), early, worked);
    assert.deepEqual([breach?.severity, breach?.basis], ['warning', 'worked']);
  });

  it('is judged by the planned times, the recorded ones or these first', () => {
    const shorter = { ...late, worked: [{ from: at('06-12 20:00'), to: at('06-12 21:00'), pause: null }] };
    const minutes = (basis: 'planned' | 'worked' | 'both') =>
      judge(rule('hours_per_day', { minutes: 0 }, { basis }), early, shorter).map(({ actual }) => actual);
    assert.deepEqual([minutes('planned'), minutes('worked'), minutes('both')], [[840], [60], [540]]);
  });

  it('needs some work in the scope; other work is time all the same', () => {
    const inScope = rule('hours_per_day', { minutes: 600 }, { appliesTo: { client_ids: [7], function_ids: [3, 4] } });
    const there = placed(late, { clientId: 7, functionId: 4 });
    assert.equal(judge(inScope, early, there).length, 1);
    assert.equal(judge(inScope, early, placed(late, { clientId: 7, functionId: 5 })).length, 0);
    assert.equal(judge({ ...inScope, except: { client_ids: [7] } }, early, there).length, 0);
    assert.equal(judge({ ...inScope, except: { location_ids: [1] } }, early, there).length, 1);
  });

  it('counts the age on the local day on which the work starts', () => {
    const minors = rule('hours_per_day', { minutes: 480 }, { appliesTo: { age_below: 18 } });
    const born = (birthday: string | null) => judgeWork({ ...somebody, birthday }, [other], [minors]).length;
    assert.deepEqual([born('2008-06-14'), born('2008-06-15'), born(null)], [0, 1, 0]);
    const evening = piece(1, '06-13 22:30 – 06-14 08:00');
    assert.equal(judgeWork({ ...somebody, birthday: '2008-06-14' }, [evening], [minors]).length, 0);
    const adults = { ...minors, appliesTo: { age_from: 18 } };
    assert.equal(judgeWork(somebody, [other], [adults]).length, 1);
  });

  it('goes by the qualifications of the person, any of those named', () => {
    const qualified = rule('hours_per_day', { minutes: 600 }, { appliesTo: { qualification_ids: [61, 64] } });
    const count = (qualifications: readonly number[]) =>
      judgeWork({ ...somebody, qualifications }, [other], [qualified]).length;
    assert.deepEqual([count([64]), count([62]), count([])], [1, 0, 0]);
  });

  it('goes by the last piece for the validity of the rule', () => {
    const from = (validFrom: string | null, validTo: string | null) =>
      judge(
        rule('days_in_a_row', { days: 2 }, { validFrom, validTo }),
        early,
        piece(5, '06-13 08:00 – 06-13 09:00'),
        other,
      ).length;
    assert.deepEqual([from('2026-06-14', null), from('2026-06-15', null)], [1, 0]);
    assert.deepEqual([from(null, '2026-06-14'), from(null, '2026-06-13')], [1, 0]);
  });
});

describe('what a write causes', () => {
  const caused = (before: readonly WorkPiece[], after: readonly WorkPiece[], judged = hours) =>
    causedBy(judge(judged, ...before), judge(judged, ...after)).map(({ actual }) => actual);

  it('is what is new', () => {
    assert.deepEqual(caused([early, other], [early, other, late]), [840]);
  });

  it('is what is further from the limit', () => {
    const longer = piece(2, '06-12 20:00 – 06-13 03:00');
    assert.deepEqual(caused([early, late], [early, longer]), [900]);
  });

  it('is not what stays, nor what comes nearer to the limit', () => {
    const shorter = piece(2, '06-12 20:00 – 06-13 01:00');
    assert.deepEqual(caused([early, late], [early, late, piece(4, '06-20 08:00 – 06-20 09:00')]), []);
    assert.deepEqual(caused([early, late], [early, shorter]), []);
  });

  it('is a rest before an assignment after which a busy date comes even sooner', () => {
    const busy = { ...piece(null, '06-13 05:00 – 06-13 09:00'), busyDateId: 7 };
    const added = piece(null, '06-12 08:00 – 06-12 12:00');
    assert.deepEqual(caused([late, busy], [late, busy, added], rest), [480]);
  });

  it('is not a run of days that becomes shorter, whichever assignment is now beyond the limit', () => {
    const days = [10, 11, 12, 13, 14].map(day => piece(day, `06-${day} 08:00 – 06-${day} 09:00`));
    const judged = rule('days_in_a_row', { days: 2 });
    assert.deepEqual(caused(days, days.slice(1), judged), []);
    assert.deepEqual(caused(days.slice(1), days, judged), [5]);
  });
});
