import { nowhere, type Person, type Placement, type Times, type WorkPiece } from './piece.ts';
import type { Rulebook } from './rulebook.ts';

/** What an employee does, as far as working-time rules look at it. */
export interface EmployeeWork {
  readonly rulebook: Rulebook;
  readonly person: Person;
  /** The work that counts; updated as assignments change. */
  pieces: readonly WorkPiece[];
  /** What scopes ask of event functions, by id; null: no rule asks it. */
  readonly sites: ReadonlyMap<number, Site> | null;
}

/** What scopes ask of an event function; its wage profile is its own, or else that of its function. */
export interface Site extends Placement {
  /** The one that applies without any other. */
  readonly defaultProfileId: number | null;
}

/** A break, as instants; null: none. */
export interface BreakTimes {
  readonly break_start: string | null;
  readonly break_end: string | null;
}

/** A time of work and the break in it, as instants. */
export interface PlannedTimes extends Partial<BreakTimes> {
  readonly start: string | null;
  readonly end: string | null;
}

/** An assignment whose work is judged, before it counts. */
interface Judged extends PlannedTimes {
  readonly id: number | null;
  readonly wage_profile_id?: number | null;
  readonly place: { readonly id: number };
  readonly worker: { readonly wage_profile_id: number | null };
}

/** Returns the work that an assignment would be. */
export const pieceOf = (seat: Judged, { sites }: EmployeeWork): WorkPiece => ({
  assignmentId: seat.id,
  busyDateId: null,
  planned: timesOf(seat),
  worked: [],
  placement: sites ? placementOf(seat, sites.get(seat.place.id)) : nowhere,
});

const placementOf = (seat: Judged, site: Site | undefined): Placement => {
  if (!site) throw new Error('The event function of an assignment is judged although it has not been loaded.');
  const { defaultProfileId, wageProfileId, ...placement } = site;
  const profile = seat.wage_profile_id ?? wageProfileId ?? seat.worker.wage_profile_id ?? defaultProfileId;
  return { ...placement, wageProfileId: profile };
};

/**
 * Returns the work of an employee before and after some of it has moved.
 * @param before the times before, by assignment; null: it was no work
 */
export const moving = ({ pieces }: EmployeeWork, before: ReadonlyMap<number, PlannedTimes | null>) => ({
  before: pieces.flatMap((piece): readonly WorkPiece[] => {
    const times = piece.assignmentId === null ? undefined : before.get(piece.assignmentId);
    if (times === undefined) return [piece];
    return times === null ? [] : [{ ...piece, planned: timesOf(times) }];
  }),
  after: pieces,
});

/** Returns times in seconds since 1970; an open end counts as none. */
export const timesOf = ({ start, end, break_start = null, break_end = null }: PlannedTimes): Times => {
  const from = secondsOf(start);
  const pause =
    break_start !== null && break_end !== null ? { from: secondsOf(break_start), to: secondsOf(break_end) } : null;
  return { from, to: end === null ? from : secondsOf(end), pause: pause && pause.from < pause.to ? pause : null };
};

const secondsOf = (instant: string | null): number => (instant === null ? 0 : Date.parse(instant) / 1000);
