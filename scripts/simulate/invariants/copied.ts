import type { Invariant } from './invariant.ts';

/** A copy that follows the changes is what the listings show. */
export const copied: Invariant = {
  name: 'a copy equals the listings',
  state: async ({ replicas }) => {
    const found: string[] = [];
    for (const [name, replica] of replicas) {
      while (!(await replica.step(1000)));
      await replica.refresh();
      found.push(...(await replica.differences()).map(line => `${name}: ${line}`));
    }
    return found;
  },
};
