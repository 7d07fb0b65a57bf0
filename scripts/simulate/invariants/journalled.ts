import { entriesOf } from './entries.ts';
import type { Invariant } from './invariant.ts';

/** The journal has no gaps, and of each record its creation first and its deletion last. */
export const journalled: Invariant = {
  name: 'the journal is in order',
  state: async simulated => {
    const entries = await entriesOf(simulated);
    const gaps = entries.filter(
      ({ position }, index) => index > 0 && position !== (entries[index - 1]?.position ?? 0) + 1,
    );
    const records = Map.groupBy(entries, ({ resource, id }) => `${resource} ${id}`);
    const wrong = [...records].filter(([, own]) => {
      const kinds = own.map(({ change }) => change[0]).join('');
      return !/^c?u*d?$/.test(kinds);
    });
    return [
      ...gaps.map(({ position }) => `nothing stands before position ${position}`),
      ...wrong.map(([name, own]) => `${name}: ${own.map(({ change }) => change)}`),
    ];
  },
};
