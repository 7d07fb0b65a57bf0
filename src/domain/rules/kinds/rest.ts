import type { Excess, Kind } from '../kind.ts';
import type { PersonWork, Stretch } from '../work.ts';

export interface RestParameters {
  readonly minutes: number;
  readonly same_work_minutes?: number;
}

/** The least time between the end of work and the next start. */
export const rest: Kind<RestParameters> = {
  near: ({ minutes }) => minutes,
  find: (work, { minutes, same_work_minutes: sameWork = 180 }) =>
    work.busy.slice(1).flatMap(({ from: to }, index): Excess | readonly [] => {
      const from = (work.busy[index] as { to: number }).to;
      const seconds = to - from;
      if (seconds < sameWork * 60 || seconds >= minutes * 60) return [];
      const passing = startingAt(work, to);
      const neighbour = endingAt(work, from);
      return {
        actual: seconds / 60,
        limit: minutes,
        unit: 'minutes',
        from,
        to,
        stretches: [...new Set([neighbour, passing])],
        passing,
        neighbour,
        about: `${nameOf(neighbour)}-${nameOf(passing)}`,
      };
    }),
};

const nameOf = ({ piece: { assignmentId, busyDateId } }: Stretch): string =>
  busyDateId === null ? String(assignmentId) : `busy ${busyDateId}`;

/** Assignments come before busy dates, which are never the subject of a breach. */
const first = (stretches: readonly Stretch[]): Stretch =>
  (stretches.find(({ piece }) => piece.busyDateId === null) ?? stretches[0]) as Stretch;

const startingAt = ({ stretches }: PersonWork, instant: number): Stretch =>
  first(stretches.filter(({ parts }) => parts.some(({ from }) => from === instant)));

const endingAt = ({ stretches }: PersonWork, instant: number): Stretch =>
  first(stretches.filter(({ parts }) => parts.some(({ to }) => to === instant)));
