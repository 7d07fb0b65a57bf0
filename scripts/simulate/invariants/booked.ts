import { assignmentBooked } from '../../../generated/status-sets.ts';
import type { SimulatedRow } from '../simulated.ts';
import type { Invariant } from './invariant.ts';

/** Nobody is booked twice for the same time, unless somebody has forced it. */
export const booked: Invariant = {
  name: 'no double booking without force',
  state: async ({ list }) => {
    const aborted = new Set((await list('/events?status=5&fields=id')).map(({ id }) => id));
    const rows = (await list('/assignments?fields=id,employee_id,event_id,status,start,end&sort=start')).filter(
      ({ status, event_id, start, end }) =>
        assignmentBooked.some(booked => booked === status) && !aborted.has(event_id) && start && end,
    );
    const pairs = [...Map.groupBy(rows, ({ employee_id }) => employee_id).values()].flatMap(overlapping);
    const found: string[] = [];
    for (const [one, other] of pairs) {
      const histories = await Promise.all([one, other].map(({ id }) => list(`/assignments/${id}/history`)));
      const overridden = histories.flat().some(entry => (entry.overridden ?? []).includes('double_booked'));
      if (!overridden) found.push(`${JSON.stringify(one)} and ${JSON.stringify(other)}`);
    }
    return found;
  },
};

const overlapping = (rows: readonly SimulatedRow[]): readonly (readonly [SimulatedRow, SimulatedRow])[] =>
  rows.flatMap((one, index) =>
    rows
      .slice(index + 1)
      .filter(other => other.start < one.end && one.start < other.end)
      .map(other => [one, other] as const),
  );
