import type { Result, Statement } from '../../db/database.ts';
import { judgeOfAdded } from './added.ts';
import { type AroundRow, aroundRows, aroundStatement } from './around.ts';
import { timesOf } from './employee-work.ts';
import type { Breach } from './judge.ts';
import { nowhere, type Person, placementOf, type WorkPiece } from './piece.ts';
import type { RuleScope, WorkRule } from './rule.ts';
import { nearnessOf } from './rulebook.ts';

/** What working-time rules say of the candidates for an event function. */
export interface JudgedCandidates {
  /** The breaches of those of whom something is known. */
  readonly known: ReadonlyMap<number, readonly Breach[]>;
  /** The breaches of all others. */
  readonly others: readonly Breach[];
}

/** Nothing stands against anybody. */
export const unopposed: JudgedCandidates = { known: new Map(), others: [] };

/** Sends one statement. */
type Read = (statement: Statement) => Promise<Result | undefined>;

/** An event function, and those who are judged. */
interface Judging {
  readonly eventFunctionId: number;
  /** The employees; null: all who are active. */
  readonly among: readonly number[] | null;
  readonly tenantId: number;
}

/**
 * Judges an assignment of each employee to an event function by rules.
 * It sends one statement, however many employees there are.
 */
export const judgeCandidates = async (
  { eventFunctionId: place, among, tenantId }: Judging,
  rules: readonly WorkRule[],
  read: Read,
): Promise<JudgedCandidates> => {
  if (rules.length === 0) return unopposed;
  const minutes = Math.max(...rules.map(nearnessOf));
  const result = await read(aroundStatement({ place, minutes, among, withPeople: rules.some(isPersonal) }, tenantId));
  const [first, ...rows] = result ? aroundRows(result) : [];
  if (first?.part !== 'place') return unopposed;
  const judge = judgeOfAdded(pieceAt(first, null), rules);
  const people = new Map<number, KnownCandidate>();
  const of = (id: number): KnownCandidate => {
    const known = people.get(id) ?? { person: { ...stranger, id }, profileId: null, work: [] };
    people.set(id, known);
    return known;
  };
  for (const { appliesTo, except } of rules) for (const id of [...idsIn(appliesTo), ...idsIn(except)]) of(id);
  for (const row of rows) take(row, of);
  const known = [...people].map(
    ([id, { person, profileId, work }]) => [id, judge(person, work, pieceAt(first, profileId))] as const,
  );
  return { known: new Map(known), others: judge(stranger, [], pieceAt(first, null)) };
};

/** A candidate of whom something is known. */
interface KnownCandidate {
  person: Person;
  profileId: number | null;
  readonly work: WorkPiece[];
}

const stranger: Person = { id: 0, qualifications: [], birthday: null };

const take = (row: AroundRow, of: (id: number) => KnownCandidate): void => {
  const { part, employee_id: id } = row;
  if (id === null) return;
  const known = of(id);
  if (part === 'people') {
    known.person = { id, qualifications: row.qualifications ?? [], birthday: row.birthday };
    known.profileId = row.wageProfileId;
  } else known.work.push(part === 'work' ? workOf(row) : busyOf(row));
};

const idsIn = (scope: RuleScope | null): readonly number[] => scope?.employee_ids ?? [];

/** Whether a rule asks something of people that their work does not say. */
const isPersonal = ({ appliesTo, except }: WorkRule): boolean =>
  [appliesTo, except ?? {}].some(
    scope =>
      scope.wage_profile_ids !== undefined ||
      scope.qualification_ids !== undefined ||
      scope.age_from !== undefined ||
      scope.age_below !== undefined,
  );

/**
 * Returns the work that an assignment to the event function would be.
 * @param profileId the wage profile of the employee
 */
const pieceAt = (place: AroundRow, profileId: number | null): WorkPiece => ({
  ...workOf(place),
  assignmentId: null,
  placement: { ...placementOf(place), wageProfileId: place.wageProfileId ?? profileId ?? place.defaultProfileId },
});

const workOf = (row: AroundRow): WorkPiece => ({
  assignmentId: row.id,
  busyDateId: null,
  planned: plannedOf(row),
  worked: (row.worked ?? []).map(timesOf),
  placement: placementOf(row),
});

const busyOf = (row: AroundRow): WorkPiece => ({
  assignmentId: null,
  busyDateId: row.id,
  planned: plannedOf(row),
  worked: [],
  placement: nowhere,
});

const plannedOf = ({ start, end, break_start, break_end }: AroundRow): WorkPiece['planned'] => {
  const [from, to] = [start ?? 0, end ?? 0];
  const hasPause = break_start !== null && break_end !== null && break_start < break_end;
  return { from, to, pause: hasPause ? { from: break_start, to: break_end } : null };
};
