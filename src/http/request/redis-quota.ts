import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Counter } from './rate-limit.ts';

/** The methods of a logger that are used here. */
interface QuotaLog {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

/** Milliseconds. */
const times = { connect: 2000, command: 500, longestPause: 2000 };

/** A counter in Redis. */
export interface RedisCounter extends Counter {
  /** Resolves once Redis is connected or the first attempt has failed or timed out. */
  readonly connected: Promise<void>;
  close(): Promise<void>;
}

/** Connects to Redis and waits for its response. @throws Error if there is none, or a rejection */
export const pingRedis = async (url: string): Promise<void> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: times.connect,
    commandTimeout: times.connect,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // What the connection has failed for: its other errors say only that it is closed.
  let reason: Error | null = null;
  redis.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
};

/**
 * Returns a counter in Redis, which several instances share.
 * Until Redis is connected, and while it does not respond within `timeout` milliseconds, each instance counts in its own memory. It is
 * connected anew where it has not responded for longer: requests do not wait for it until then.
 * @param period seconds
 */
export const redisCounter = (url: string, period: number, log: QuotaLog, timeout = times.command): RedisCounter => {
  const redis = new Redis(url, {
    connectTimeout: times.connect,
    commandTimeout: timeout,
    socketTimeout: 4 * timeout,
    maxRetriesPerRequest: 0,
    // A request that cannot be sent to Redis now is counted in memory now.
    enableOfflineQueue: false,
    retryStrategy: attempt => Math.min(attempt * 100, times.longestPause),
  });
  let down = false;
  let closing = false;
  const lost = (error?: unknown): void => {
    if (!down && !closing)
      log.warn({ err: error }, 'Redis does not respond: rate limits are counted in memory until it does.');
    down = true;
  };
  /** Says that a command has failed; where there is no connection, that has been said. */
  const failed = (error: unknown): void => {
    if (redis.status === 'ready') lost(error);
  };
  const found = (): void => {
    if (down) log.info({}, 'Redis responds again: rate limits are counted there.');
    down = false;
  };
  redis.on('error', lost).on('close', () => lost());
  redis.on('ready', found);
  const options = { points: Number.MAX_SAFE_INTEGER, duration: period };
  const shared = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    keyPrefix: 'staffing-rate',
  });
  const own = new RateLimiterMemory(options);
  const connected = new Promise<void>(resolve => {
    const late = setTimeout(resolve, times.connect);
    for (const event of ['ready', 'error'] as const)
      redis.once(event, () => {
        clearTimeout(late);
        resolve();
      });
  });
  return {
    connected,
    async consume(key) {
      try {
        const count = await shared.consume(key);
        found();
        return count;
      } catch (error) {
        failed(error);
        return own.consume(key);
      }
    },
    async get(key) {
      try {
        return await shared.get(key);
      } catch (error) {
        failed(error);
        return own.get(key);
      }
    },
    close: async () => {
      closing = true;
      redis.disconnect();
    },
  };
};
