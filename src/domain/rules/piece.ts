import type { Interval } from '../time/interval.ts';

/** Some time of work, and the break in it. */
export interface Times extends Interval {
  readonly pause: Interval | null;
}

/** What scopes ask of an assignment; null: it has none. */
export interface Placement {
  readonly functionId: number | null;
  readonly clientId: number | null;
  readonly locationId: number | null;
  readonly countryId: number | null;
  /** The one that applies to it. */
  readonly wageProfileId: number | null;
}

/** Returns the placement that a row has. */
export const placementOf = ({ functionId, clientId, locationId, countryId, wageProfileId }: Placement): Placement => ({
  functionId,
  clientId,
  locationId,
  countryId,
  wageProfileId,
});

/** A piece of work of one person: an assignment, or a busy date that counts as work. */
export interface WorkPiece {
  /** Null: a new assignment, or a busy date. */
  readonly assignmentId: number | null;
  /** Null: an assignment. */
  readonly busyDateId: number | null;
  readonly planned: Times;
  /** The recorded work, if any. */
  readonly worked: readonly Times[];
  readonly placement: Placement;
}

/** What scopes ask of a person. */
export interface Person {
  readonly id: number;
  readonly qualifications: readonly number[];
  /** YYYY-MM-DD. Without one, the person counts as an adult. */
  readonly birthday: string | null;
}

/** The placement of a piece that has none, such as a busy date. */
export const nowhere: Placement = {
  functionId: null,
  clientId: null,
  locationId: null,
  countryId: null,
  wageProfileId: null,
};
