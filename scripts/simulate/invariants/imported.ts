import type { Invariant } from './invariant.ts';

/** Every import comes to its end, with a result for each row. */
export const imported: Invariant = {
  name: 'imports end',
  state: async ({ list }) => {
    const imports = await list('/imports');
    const running = imports.filter(({ status }) => status === 'queued' || status === 'running');
    const found = running.map(({ id, status }) => `import ${id} is still ${status}`);
    for (const { id, rows } of imports) {
      const results = await list(`/imports/${id}/results?fields=line`);
      if (results.length !== rows) found.push(`import ${id} has ${results.length} results of ${rows} rows`);
    }
    return found;
  },
};
