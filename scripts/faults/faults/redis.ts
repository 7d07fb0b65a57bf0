import { type RedisServer, redisProgram, startRedis } from '../../../test/support/redis-server.ts';
import type { Fault } from '../fault.ts';

let redis: RedisServer | undefined;

/** Redis, which counts the requests, is killed, and comes back later. */
export const lostRedis: Fault = {
  name: 'Redis is gone',
  deployments: ['embedded', 'postgres'],
  short: ['postgres'],
  obstacle: () => (redisProgram() === null ? 'there is no redis-server' : null),
  prepare: async ({ service, undo }) => {
    redis = await startRedis(redisProgram() as string);
    undo.push(() => redis?.kill());
    service.environment.REDIS_URL = redis.url;
  },
  happen: async (_, ledger) => {
    await ledger.more(20);
    const port = Number(new URL(redis?.url ?? '').port);
    await redis?.kill();
    await ledger.more(40);
    redis = await startRedis(redisProgram() as string, port);
    await ledger.more(40);
    return 'once';
  },
};
