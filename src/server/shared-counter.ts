import type { Logger } from 'pino';
import type { RedisCounter } from '../http/request/redis-quota.ts';
import type { Config } from './config/config.ts';

/** Returns the counter in Redis that several instances share; null if none is configured. */
export const sharedCounter = async (
  { redisUrl, rateLimit }: Pick<Config, 'redisUrl' | 'rateLimit'>,
  log: Logger,
): Promise<RedisCounter | null> => {
  if (redisUrl === null) return null;
  // The client of Redis is large, and loaded only by those who use it.
  const { redisCounter } = await import('../http/request/redis-quota.ts');
  return redisCounter(redisUrl, rateLimit.period, log);
};
