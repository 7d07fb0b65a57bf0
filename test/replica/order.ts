/** When a write was sent and when its response came, in milliseconds. */
export interface SentWrite {
  readonly sent: number;
  readonly received: number;
}

/**
 * Returns a sentence about the first write that comes after one that was sent later; null: there is none.
 * Of two writes the one whose response came before the other was sent has the lower position.
 * @param positions of each request
 */
export const misplaced = (
  positions: ReadonlyMap<string, number>,
  writes: ReadonlyMap<string, SentWrite>,
): string | null => {
  let latest = 0;
  for (const [id] of [...positions].toSorted(([, a], [, b]) => a - b)) {
    const write = writes.get(id);
    if (!write) continue;
    if (write.received < latest) return `${id} comes after a write that was sent later`;
    latest = Math.max(latest, write.sent);
  }
  return null;
};
