import { assignmentHolding } from '../../../generated/status-sets.ts';
import type { Invariant } from './invariant.ts';

/** No function has more people than places. */
export const filled: Invariant = {
  name: 'no overfull function',
  state: async ({ list }) => {
    const [functions, events, assignments] = [
      await list('/event-functions?fields=id,event_id,quantity,statistics'),
      await list('/events?fields=id,overbooking_percent'),
      await list('/assignments?fields=id,event_function_id,status'),
    ];
    const extra = new Map(events.map(({ id, overbooking_percent }) => [id, overbooking_percent ?? 0]));
    const holding = Map.groupBy(
      assignments.filter(({ status }) => assignmentHolding.some(holding => holding === status)),
      row => row.event_function_id,
    );
    return functions
      .map(({ id, event_id, quantity }) => ({
        id,
        places: Math.floor(quantity * (1 + extra.get(event_id) / 100)),
        held: holding.get(id)?.length ?? 0,
      }))
      .filter(({ places, held }) => held > places)
      .map(({ id, places, held }) => `event function ${id} has ${held} people in ${places} places`);
  },
};
