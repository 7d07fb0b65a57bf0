import type { Simulated } from '../simulated.ts';

/** An entry of the journal. */
export interface ReadEntry {
  readonly position: number;
  readonly at: string;
  readonly resource: string;
  readonly id: number;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly by: { readonly type: string; readonly id: number | null };
  readonly request_id: string | null;
}

/** Reads the whole journal as a user who sees everything. */
export const entriesOf = async (simulated: Simulated): Promise<readonly ReadEntry[]> => {
  const entries: ReadEntry[] = [];
  for (let next = ''; ; ) {
    const page = (await simulated.get(`/changes?limit=1000${next && `&after=${next}`}`)) as unknown as {
      readonly changes: readonly ReadEntry[];
      readonly next: string;
      readonly caught_up: number;
    };
    entries.push(...page.changes);
    if (page.caught_up === 1) return entries;
    next = page.next;
  }
};
