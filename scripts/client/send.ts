/** How requests are repeated. */
export interface Retries {
  /** The number of attempts after the first one. */
  readonly retries: number;
  /** Waits some milliseconds; fails when the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Statuses of requests that were not processed, or not yet: too many at once, not available. */
const temporary = new Set([429, 502, 503, 504]);

/**
 * Sends a request, and repeats it if the network or the service fails for a while.
 * Repetitions follow after the time that `Retry-After` names, or after pauses that double from half a second. POST and
 * PUT carry an `Idempotency-Key`, so that a repetition has no second effect.
 * @throws what `fetch` throws at the last attempt
 */
export const send = async (given: Request, { retries, wait, fetch }: Retries): Promise<Response> => {
  const request = withKey(given);
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt === retries || request.signal.aborted;
    let pause = 500 * 2 ** attempt * (0.5 + Math.random() / 2);
    try {
      const response = await fetch(isLast ? request : request.clone());
      // What a first attempt deleted whose response was lost is not found by the second.
      if (attempt > 0 && request.method === 'DELETE' && response.status === 404)
        return new Response(null, { status: 204 });
      if (isLast || !(await isTemporary(response, attempt))) return response;
      pause = retryAfter(response) ?? pause;
      await response.body?.cancel();
    } catch (error) {
      if (isLast || request.signal.aborted) throw error;
    }
    await wait(pause, request.signal);
  }
};

const withKey = (request: Request): Request => {
  if (!['POST', 'PUT'].includes(request.method) || request.headers.has('Idempotency-Key')) return request;
  request.headers.set('Idempotency-Key', crypto.randomUUID());
  return request;
};

const isTemporary = async (response: Response, attempt: number): Promise<boolean> => {
  if (temporary.has(response.status)) return true;
  // The attempt before is still being processed.
  if (response.status !== 409 || attempt === 0) return false;
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { readonly code?: string } | null;
  return body?.code === 'idempotency_in_progress';
};

/**
 * Returns the milliseconds that the header names, as a number of seconds or as a date.
 * Null if it is missing.
 */
const retryAfter = ({ headers }: Response): number | null => {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
};

/** Waits; fails as soon as the signal is aborted. */
export const wait: Retries['wait'] = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
