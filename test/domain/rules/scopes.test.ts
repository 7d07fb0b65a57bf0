import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Breach, judgeWork } from '../../../src/domain/rules/judge.ts';
import type { Person, WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName, RuleScope } from '../../../src/domain/rules/rule.ts';
import { rule } from './scene.ts';

/** A rule of each kind that work of some days breaks. */
const strict: readonly (readonly [KindName, object])[] = [
  ['rest', { minutes: 1200 }],
  ['hours_per_day', { minutes: 300 }],
  ['span_per_day', { minutes: 300, per: 'calendar_day' }],
  ['hours_per_week', { minutes: 600 }],
  ['average_hours', { minutes: 300, weeks: 2 }],
  ['days_in_a_row', { days: 1 }],
  ['weekly_rest', { minutes: 5000, per_days: 7 }],
  ['breaks', { steps: [{ over: 240, minutes: 60 }], longest: 300 }],
  ['night', { from: '20:00', to: '06:00', over: 60, minutes: 240, in_a_row: 1 }],
  ['forbidden_hours', { windows: [{ from: '22:00', to: '07:00' }] }],
  ['hire_out', { months: 1, gap_months: 1 }],
];

/** First days with a change of clocks soon after, and people who turn 16 and 18 then, or on no day. */
const bases = ['2026-03-24', '2026-10-20', '2028-02-25'] as const;
const birthdays = [null, '2010-03-29', '2008-10-25', '2010-02-28', '2012-02-29', '1990-01-01'] as const;

const id = fc.integer({ min: 1, max: 3 });
const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 2 });
const scope: fc.Arbitrary<RuleScope> = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      employee_ids: ids,
      wage_profile_ids: ids,
      qualification_ids: ids,
      function_ids: ids,
      client_ids: ids,
      location_ids: ids,
      country_ids: ids,
      age_from: fc.constantFrom(15, 16, 18),
      age_below: fc.constantFrom(16, 18, 21),
    },
    { requiredKeys: [] },
  ),
  fc.record({ client_ids: ids, age_below: fc.constantFrom(16, 18) }, { requiredKeys: [] }),
);
const place = fc.option(id, { freq: 5 });

const piecesFrom = (base: string, days: number): fc.Arbitrary<readonly WorkPiece[]> =>
  fc
    .array(
      fc.record({
        start: fc.integer({ min: 0, max: days * 96 }),
        quarters: fc.integer({ min: 4, max: 48 }),
        placement: fc.record({
          functionId: place,
          clientId: place,
          locationId: place,
          countryId: place,
          wageProfileId: place,
        }),
      }),
      // As many as a breach names.
      { minLength: 1, maxLength: 10 },
    )
    .map(all =>
      all.map(({ start, quarters, placement }, index) => {
        const from = Date.parse(`${base}T00:00:00Z`) / 1000 + start * 900;
        const planned = { from, to: from + quarters * 900, pause: null };
        return { assignmentId: index + 1, busyDateId: null, planned, worked: [], placement };
      }),
    );

const casesOf = (days: number) =>
  fc.constantFrom(...bases).chain(base => {
    const date = fc.option(
      fc.integer({ min: -2, max: days + 2 }).map(after => {
        const day = Date.parse(`${base}T00:00:00Z`) + after * 86_400_000;
        return new Date(day).toISOString().slice(0, 10);
      }),
    );
    return fc.record({
      pieces: piecesFrom(base, days),
      person: fc.record({ id, qualifications: fc.uniqueArray(id), birthday: fc.constantFrom(...birthdays) }),
      appliesTo: scope,
      except: fc.option(scope.filter(members => Object.keys(members).length > 0)),
      validFrom: date,
      validTo: date,
      timeZone: fc.constantFrom('Europe/Berlin', 'America/Santiago'),
    });
  });

/** The local date on which a piece starts, as Intl shows it. */
const dateOf = ({ planned }: WorkPiece, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(planned.from * 1000);

/** Years by trying birthdays: that of 29 February is 1 March in other years. */
const yearsOn = (birthday: string | null, date: string): number => {
  if (birthday === null) return 18;
  const [year = 0, month = 0, day = 0] = birthday.split('-').map(Number);
  let years = 0;
  while (new Date(Date.UTC(year + years + 1, month - 1, day)).toISOString().slice(0, 10) <= date) years++;
  return years;
};

const isWithin = (members: RuleScope, person: Person, piece: WorkPiece, timeZone: string): boolean => {
  const years = yearsOn(person.birthday, dateOf(piece, timeZone));
  const { functionId, clientId, locationId, countryId, wageProfileId } = piece.placement;
  const asked: readonly (readonly [readonly number[] | undefined, readonly (number | null)[]])[] = [
    [members.employee_ids, [person.id]],
    [members.qualification_ids, person.qualifications],
    [members.function_ids, [functionId]],
    [members.client_ids, [clientId]],
    [members.location_ids, [locationId]],
    [members.country_ids, [countryId]],
    [members.wage_profile_ids, [wageProfileId]],
  ];
  if (members.age_from !== undefined && years < members.age_from) return false;
  if (members.age_below !== undefined && years >= members.age_below) return false;
  return asked.every(([wanted, own]) => !wanted || own.some(one => one !== null && wanted.includes(one)));
};

describe('the scope and the validity of a rule', () => {
  for (const [kind, parameters] of strict)
    it(`${kind}: leave of all breaches those of which some work is in the scope, and the last one in time`, () => {
      let [all, some] = [0, 0];
      fc.assert(
        fc.property(
          casesOf(kind === 'hire_out' ? 80 : 12),
          ({ pieces, person, appliesTo, except, validFrom, validTo, timeZone }) => {
            const everybody = rule(kind, parameters, { timeZone });
            const limited = rule(kind, parameters, { timeZone, appliesTo, except, validFrom, validTo });
            const counts = ({ assignmentIds }: Breach): boolean => {
              const own = pieces.filter(({ assignmentId }) => assignmentIds.includes(Number(assignmentId)));
              const last = own.toSorted((a, b) => a.planned.from - b.planned.from).at(-1) as WorkPiece;
              const date = dateOf(last, timeZone);
              return (
                date >= (validFrom ?? '') &&
                date <= (validTo ?? '9999') &&
                own.some(
                  piece =>
                    isWithin(appliesTo, person, piece, timeZone) &&
                    !(except && isWithin(except, person, piece, timeZone)),
                )
              );
            };
            const said = (found: readonly Breach[]) => found.map(({ rule: _, ...breach }) => breach);
            const expected = judgeWork(person, pieces, [everybody]);
            const kept = expected.filter(counts);
            assert.deepEqual(said(judgeWork(person, pieces, [limited])), said(kept));
            all += expected.length;
            some += kept.length;
          },
        ),
        // Time with one client is rarely too long.
        { numRuns: kind === 'hire_out' ? 1000 : 150 },
      );
      assert.ok(some > 0 && some < all, `${some} of ${all}`);
    });
});
