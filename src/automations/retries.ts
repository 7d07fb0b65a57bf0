/** Seconds between attempts; the last value repeats. */
const pauses = [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/**
 * The time of a webhook's next attempt.
 * Null after the last one. Adds up to 10 % of jitter to each pause, so that retries do not reach a receiver all at
 * once.
 * @param attempt number of attempts so far
 */
export const nextAttempt = (attempt: number, limit: number, now: Date, random = Math.random): Date | null => {
  if (attempt >= limit) return null;
  const pause = pauses[Math.min(attempt, pauses.length) - 1] as number;
  return new Date(now.getTime() + pause * 1000 * (1 + random() / 10));
};
