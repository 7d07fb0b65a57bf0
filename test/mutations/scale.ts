import type { Mutation } from '../../scripts/mutate/mutation.ts';

export default [
  {
    guarantee: 'What a process remembers of a caller is a second old at most.',
    file: 'src/tenancy/caller/cache.ts',
    find: 'export const cacheTime = 900;',
    replace: 'export const cacheTime = 90_000;',
    tests: ['test/scale/instances.test.ts'],
  },
  {
    guarantee: 'Instances with REDIS_URL have one count of requests.',
    file: 'src/server/shared-counter.ts',
    find: 'if (redisUrl === null) return null;',
    replace: 'if (redisUrl !== undefined) return null;',
    tests: ['test/scale/redis.test.ts'],
  },
] satisfies readonly Mutation[];
