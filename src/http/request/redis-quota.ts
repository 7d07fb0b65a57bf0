import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { type Counter, counterOver } from './quota.ts';

/** The part of a logger that is used here. */
interface Log {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

/** Milliseconds. */
const times = { connect: 2000, command: 500, longestPause: 2000 };

/**
 * Counts in a Redis, which several instances share; `period` in seconds. While Redis does not answer within so many milliseconds, each instance counts in its
 * own memory: resolves once Redis is there, or is not there in time.
 */
export const redisCounter = async (
  url: string,
  period: number,
  log: Log,
  patience = times.command,
): Promise<Counter & { close(): Promise<void> }> => {
  const redis = new Redis(url, {
    connectTimeout: times.connect,
    commandTimeout: patience,
    maxRetriesPerRequest: 0,
    // What cannot be sent now is counted in memory now.
    enableOfflineQueue: false,
    retryStrategy: attempt => Math.min(attempt * 100, times.longestPause),
  });
  let down = false;
  let closing = false;
  const lost = (error?: Error) => {
    if (!down && !closing)
      log.warn({ err: error }, 'Redis does not answer: rate limits are counted in memory until it does.');
    down = true;
  };
  redis.on('error', lost).on('close', () => lost());
  redis.on('ready', () => {
    if (down) log.info({}, 'Redis answers again: rate limits are counted there.');
    down = false;
  });
  const points = Number.MAX_SAFE_INTEGER;
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    rejectIfRedisNotReady: true,
    keyPrefix: 'staffing-rate',
    points,
    duration: period,
    insuranceLimiter: new RateLimiterMemory({ points, duration: period }),
  });
  await new Promise<void>(resolve => {
    const late = setTimeout(resolve, times.connect);
    for (const event of ['ready', 'error'] as const)
      redis.once(event, () => {
        clearTimeout(late);
        resolve();
      });
  });
  return {
    ...counterOver(limiter, period),
    close: async () => {
      closing = true;
      redis.disconnect();
    },
  };
};
