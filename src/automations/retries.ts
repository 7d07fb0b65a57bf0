/** Seconds from one attempt to the next, growing; the last one repeats. */
const pauses = [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/**
 * When a webhook that was not accepted is tried again: growing pauses, each longer by up to a tenth, so that receivers do not get
 * everything at once.
 * @param attempt how often it was tried
 * @returns null: no more
 */
export const nextAttempt = (attempt: number, limit: number, now: Date, random = Math.random): Date | null => {
  if (attempt >= limit) return null;
  const pause = pauses[Math.min(attempt, pauses.length) - 1] as number;
  return new Date(now.getTime() + pause * 1000 * (1 + random() / 10));
};
