import { instantAt } from '../../core/time.ts';
import { judgeWork, NAMED } from '../rules/judge.ts';
import type { WorkRule } from '../rules/rule.ts';
import { dependsOnAge, isValid } from '../rules/scope.ts';
import { shownBreach } from '../rules/shown.ts';
import { workOf } from '../rules/work.ts';
import { absencesDuring, bookingsDuring, missingQualifications } from '../staffing/checks.ts';
import type { Span } from '../time/span.ts';
import { type FoundConflict, identityOf } from './conflict.ts';
import type { JudgedBooking, WorkingPerson } from './work-data.ts';

/**
 * Returns what stands against the work of one person, without what ended before a time.
 * Pure. Judges what writes are judged by. See docs/decisions.md, "Conflicts".
 * @param since RFC 3339
 */
export const findConflicts = (
  person: WorkingPerson,
  rules: readonly WorkRule[],
  since: string,
): readonly FoundConflict[] => {
  const kept = person.bookings.filter(({ end }) => end !== null && end >= since);
  return [
    ...doubleBookings(person),
    ...kept.flatMap(booking => [...absences(booking, person), ...missing(booking, person)]),
    ...breaches(person, rules),
    ...birthdayMissing(person, rules, since),
  ].filter(({ end }) => end >= since);
};

const nothing = {
  severity: 'error',
  basis: null,
  rule_id: null,
  kind: null,
  other_assignment_id: null,
  busy_date_id: null,
  actual: null,
  limit: null,
  unit: null,
  overridden: false,
  category: null,
} as const;

/** Each pair once, at the one that starts later. */
const doubleBookings = ({ id, bookings }: WorkingPerson): readonly FoundConflict[] => {
  let open: readonly JudgedBooking[] = [];
  return bookings.flatMap(booking => {
    const others = bookingsDuring(open, booking, booking.assignment_id);
    // In the order of their start: what has ended is not at the time of those that follow.
    open = [...open.filter(({ end }) => String(end) > String(booking.start)), booking];
    return others.map(other => ({
      ...about(booking, id),
      ...common(booking, other),
      type: 'double_booked',
      other_assignment_id: other.assignment_id,
      assignment_ids: [booking.assignment_id, other.assignment_id],
    }));
  });
};

const absences = (booking: JudgedBooking, person: WorkingPerson): readonly FoundConflict[] =>
  absencesDuring(person.absences, booking).map(absence => ({
    ...about(booking, person.id),
    ...common(booking, absence),
    type: 'absent',
    busy_date_id: absence.id,
  }));

const missing = (booking: JudgedBooking, person: WorkingPerson): readonly FoundConflict[] =>
  missingQualifications(person, booking.required).length === 0
    ? []
    : [{ ...about(booking, person.id), type: 'not_qualified' }];

/** What a conflict says of a booking that has it. */
const about = ({ assignment_id, event_id, client_id, start, end }: JudgedBooking, employee_id: number) => ({
  ...nothing,
  employee_id,
  assignment_id,
  assignment_ids: [assignment_id],
  event_id,
  client_id,
  start: String(start),
  end: String(end),
});

/** Returns the time that two spans have in common. */
const common = (one: Span, other: Span) => ({
  start: String([one.start, other.start].sort().at(-1)),
  end: String([one.end, other.end].sort()[0]),
});

/** Of several breaches of one identity, the one furthest from its limit is the conflict. */
const breaches = (person: WorkingPerson, rules: readonly WorkRule[]): readonly FoundConflict[] => {
  const bookings = new Map(person.bookings.map(booking => [booking.assignment_id, booking]));
  const found = judgeWork(person, person.pieces, rules).toSorted((a, b) => b.distance - a.distance || a.from - b.from);
  const furthest = new Map<string, FoundConflict>();
  for (const breach of found) {
    const { event_id = null, client_id = null } = bookings.get(Number(breach.assignmentId)) ?? {};
    const conflict: FoundConflict = {
      ...nothing,
      ...shownBreach(breach),
      type: 'work_rule',
      severity: breach.severity,
      employee_id: person.id,
      assignment_id: breach.assignmentId,
      other_assignment_id: breach.otherAssignmentId,
      event_id,
      client_id,
    };
    const identity = identityOf(conflict);
    if (!furthest.has(identity)) furthest.set(identity, conflict);
  }
  return [...furthest.values()];
};

/** Once for a person without birthday, during all work that a rule with an age could apply to. */
const birthdayMissing = (
  person: WorkingPerson,
  rules: readonly WorkRule[],
  since: string,
): readonly FoundConflict[] => {
  if (person.birthday !== null || person.isForgotten) return [];
  const from = Date.parse(since) / 1000;
  const work = rules.flatMap(rule =>
    workOf(person.pieces, rule.basis, rule.timeZone).stretches.filter(
      stretch =>
        stretch.end >= from &&
        stretch.piece.assignmentId !== null &&
        isValid(rule, stretch.day) &&
        dependsOnAge(rule, person, stretch),
    ),
  );
  if (work.length === 0) return [];
  const ordered = work.toSorted((a, b) => a.from - b.from);
  const ids = new Set(ordered.flatMap(({ piece }) => piece.assignmentId ?? []));
  return [
    {
      ...nothing,
      type: 'birthday_missing',
      severity: 'warning',
      employee_id: person.id,
      assignment_id: null,
      assignment_ids: [...ids].slice(0, NAMED),
      event_id: null,
      client_id: null,
      start: instantAt(Math.min(...work.map(stretch => stretch.from))),
      end: instantAt(Math.max(...work.map(stretch => stretch.end))),
      category: 'personal',
    },
  ];
};
