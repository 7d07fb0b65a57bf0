import { lengthOf } from '../../time/interval.ts';
import { spansOf, type Window } from '../../time/windows.ts';
import type { Excess, Kind } from '../kind.ts';
import type { Stretch } from '../work.ts';

export interface ForbiddenHoursParameters {
  readonly windows: readonly Window[];
}

/** Hours without work. */
export const forbiddenHours: Kind<ForbiddenHoursParameters> = {
  near: () => 0,
  find: ({ stretches, clock }, { windows }) => {
    const byPiece = Map.groupBy(stretches, ({ piece }) => piece);
    return [...byPiece].flatMap(([{ assignmentId }, all]): Excess | readonly [] => {
      const found = all
        .map(stretch => ({ stretch, spans: stretch.parts.flatMap(part => spansOf(windows, part, clock)) }))
        .filter(({ spans }) => spans.length > 0);
      const spans = found.flatMap(({ spans }) => spans);
      if (spans.length === 0) return [];
      return {
        actual: lengthOf(spans) / 60,
        limit: 0,
        unit: 'minutes',
        from: Math.min(...spans.map(({ from }) => from)),
        to: Math.max(...spans.map(({ to }) => to)),
        stretches: found.map(({ stretch }) => stretch),
        passing: found[0]?.stretch as Stretch,
        about: String(assignmentId),
      };
    });
  },
};
