import type { Result, Statement } from '../../db/database.ts';
import type { Interval } from '../time/interval.ts';
import { judgeOfAdded } from './added.ts';
import { aroundRead, aroundStatement, type WorkAround } from './around.ts';
import type { Breach } from './judge.ts';
import { nowhere, type Person, type Placement, type Times, type WorkPiece } from './piece.ts';
import type { RuleScope, WorkRule } from './rule.ts';
import { asksPlacement, nearnessOf } from './rulebook.ts';

/** What working-time rules say of the candidates for an event function. */
export interface JudgedCandidates {
  /** Its times, if they have been read. */
  readonly times: Interval | null;
  /** The breaches of those of whom something is known. */
  readonly known: ReadonlyMap<number, readonly Breach[]>;
  /** The breaches of all others. */
  readonly others: readonly Breach[];
}

/** Nothing stands against anybody. */
export const unopposed: JudgedCandidates = { times: null, known: new Map(), others: [] };

/** Returns the breaches of an employee. */
export const breachesOf = ({ known, others }: JudgedCandidates, id: number): readonly Breach[] =>
  known.get(id) ?? others;

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
  const wanted = { withPeople: rules.some(isPersonal), withPlaces: rules.some(asksPlacement) };
  const result = await read(aroundStatement({ place, minutes, among, ...wanted }, tenantId));
  const around = result && aroundRead(result);
  if (!around || around.place.start.length === 0) return unopposed;
  const judge = judgeOfAdded(pieceAt(around, null), rules);
  const people = peopleIn(around);
  for (const { appliesTo, except } of rules)
    for (const id of [...idsIn(appliesTo), ...idsIn(except)]) people.set(id, people.get(id) ?? unknown(id));
  const known = [...people].map(
    ([id, { person, profileId, work }]) => [id, judge(person, work, pieceAt(around, profileId))] as const,
  );
  const { planned } = pieceAt(around, null);
  return { times: planned, known: new Map(known), others: judge(stranger, [], pieceAt(around, null)) };
};

/** A candidate of whom something is known. */
interface KnownCandidate {
  readonly person: Person;
  readonly profileId: number | null;
  readonly work: WorkPiece[];
}

const stranger: Person = { id: 0, qualifications: [], birthday: null };

const unknown = (id: number): KnownCandidate => ({ person: { ...stranger, id }, profileId: null, work: [] });

/** Returns those of whom something has been read, with their work. */
const peopleIn = ({ people, work, recorded, busy }: WorkAround): Map<number, KnownCandidate> => {
  const found = new Map<number, KnownCandidate>();
  const workOf = (id: number): WorkPiece[] => {
    const known = found.get(id) ?? unknown(id);
    found.set(id, known);
    return known.work;
  };
  people.id.forEach((id, index) => {
    const [qualifications = [], birthday = null] = [people.qualifications[index], people.birthday[index]];
    const profileId = people.wageProfileId[index] ?? null;
    found.set(id as number, { person: { id: id as number, qualifications, birthday }, profileId, work: [] });
  });
  const worked = new Map<number, Times[]>();
  recorded.assignment_id.forEach((id, index) => {
    const known = worked.get(id as number);
    if (known) known.push(timesAt(recorded, index));
    else worked.set(id as number, [timesAt(recorded, index)]);
  });
  work.id.forEach((id, index) => {
    workOf(work.employee_id[index] as number).push({
      assignmentId: id,
      busyDateId: null,
      planned: timesAt(work, index),
      worked: worked.get(id as number) ?? none,
      placement: work.functionId.length === 0 ? nowhere : placementAt(work, index),
    });
  });
  busy.id.forEach((id, index) => {
    const planned = { from: busy.start[index] as number, to: busy.end[index] as number, pause: null };
    workOf(busy.employee_id[index] as number).push({
      assignmentId: null,
      busyDateId: id,
      planned,
      worked: none,
      placement: nowhere,
    });
  });
  return found;
};

const none: readonly Times[] = [];

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
const pieceAt = ({ place }: WorkAround, profileId: number | null): WorkPiece => {
  const placement = placementAt(place, 0);
  return {
    assignmentId: null,
    busyDateId: null,
    planned: timesAt(place, 0),
    worked: none,
    placement: {
      ...placement,
      wageProfileId: placement.wageProfileId ?? profileId ?? place.defaultProfileId[0] ?? null,
    },
  };
};

const placementAt = (sites: Pick<WorkAround['place'], keyof Placement>, index: number): Placement => ({
  functionId: sites.functionId[index] ?? null,
  clientId: sites.clientId[index] ?? null,
  locationId: sites.locationId[index] ?? null,
  countryId: sites.countryId[index] ?? null,
  wageProfileId: sites.wageProfileId[index] ?? null,
});

const timesAt = (spans: WorkAround['recorded'] | WorkAround['work'] | WorkAround['place'], index: number): Times => {
  const [start, end] = [spans.break_start[index] ?? null, spans.break_end[index] ?? null];
  const hasPause = start !== null && end !== null && start < end;
  const from = spans.start[index] ?? 0;
  // An open end counts as none.
  return { from, to: spans.end[index] ?? from, pause: hasPause ? { from: start, to: end } : null };
};
