import { ApiError } from '../../core/errors.ts';
import { memoryCounter, networkOf, quotaOf } from '../../http/request/rate-limit.ts';

/** The requests that an IP address may send per minute; of these, those with an invalid token. */
export const defaultRequestLimits = { requests: 600, failures: 20 };

/** Limits on the requests of an IP address. */
export type RequestLimits = Readonly<typeof defaultRequestLimits>;

/** Seconds. */
const period = 60;

/** Counts requests by IP address. */
export type RequestCounts = ReturnType<typeof countRequests>;

/** Creates the counts, in the memory of this process. */
export const countRequests = (limits: RequestLimits) => {
  const counter = memoryCounter(period);
  const count = async (kind: keyof RequestLimits, address: string): Promise<void> => {
    const { exceeded, reset } = quotaOf(await counter.consume(`${kind} ${networkOf(address)}`), limits[kind], period);
    if (exceeded) throw new ApiError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.max(1, reset)) } });
  };
  return {
    /** Counts a request. @throws ApiError rate_limit_exceeded (429) */
    countRequest: (address: string) => count('requests', address),
    /** Counts a request with an invalid token. @throws ApiError rate_limit_exceeded (429) */
    countFailure: (address: string) => count('failures', address),
  };
};
