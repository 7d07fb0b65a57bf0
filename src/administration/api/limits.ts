import { ApiError } from '../../core/errors.ts';
import { memoryCounter, networkOf, quotaOf } from '../../http/request/rate-limit.ts';

/** Limits on the requests of an IP address. */
export interface RequestLimits {
  /** Requests per minute. */
  readonly requests: number;
  /** Of these, those with an invalid token. */
  readonly failures: number;
}

/** The limits of a server. */
export const defaultRequestLimits: RequestLimits = { requests: 600, failures: 20 };

/** Seconds. */
const period = 60;

/** Counts requests by IP address. */
export interface RequestCounts {
  /** Counts a request. @throws ApiError rate_limit_exceeded (429) */
  countRequest(address: string): Promise<void>;
  /** Counts a request with an invalid token. @throws ApiError rate_limit_exceeded (429) */
  countFailure(address: string): Promise<void>;
}

/** Creates the counts, in the memory of this process. */
export const countRequests = (limits: RequestLimits): RequestCounts => {
  const counter = memoryCounter(period);
  const count = async (kind: keyof RequestLimits, address: string): Promise<void> => {
    const { exceeded, reset } = quotaOf(await counter.consume(`${kind} ${networkOf(address)}`), limits[kind], period);
    if (exceeded) throw new ApiError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.max(1, reset)) } });
  };
  return {
    countRequest: address => count('requests', address),
    countFailure: address => count('failures', address),
  };
};
