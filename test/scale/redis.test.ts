import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { redisCounter } from '../../src/http/request/redis-quota.ts';
import { startApi } from '../http/support/api.ts';
import { ask, openInstallation } from '../support/installation.ts';
import { type RedisServer, redisProgram, startRedis } from '../support/redis-server.ts';

const program = redisProgram();
const skip = program === null && 'there is no redis-server on this machine (apt-get install redis-server)';

describe('instances that share a Redis', { skip }, () => {
  let redis: RedisServer;
  const warnings: string[] = [];
  let respondsAgain = Promise.withResolvers<void>();
  const log = {
    warn: (_: object, message: string) => void warnings.push(message),
    info: () => respondsAgain.resolve(),
  };
  // A busy machine is not a Redis that is down.
  const newCounter = async (url = redis.url) => {
    const counter = redisCounter(url, 60, log, 60_000);
    await counter.connected;
    return counter;
  };

  before(async () => {
    redis = await startRedis(program ?? '');
  });
  after(() => redis.kill());

  it('have one count, and reading counts nothing', async () => {
    const [one, other] = [await newCounter(), await newCounter()];
    assert.deepEqual(await one.get('a'), null);
    assert.equal((await one.consume('a')).consumedPoints, 1);
    const { consumedPoints, msBeforeNext } = await other.consume('a');
    assert.equal(consumedPoints, 2);
    assert.ok(msBeforeNext > 0 && msBeforeNext <= 60_000);
    assert.equal((await one.get('a'))?.consumedPoints, 2);
    assert.equal((await other.consume('b')).consumedPoints, 1);
    await Promise.all([one.close(), other.close()]);
  });

  it('let exactly the allowed requests through, of many at once, and remaining only falls', async () => {
    const counters = [await newCounter(), await newCounter()];
    const apis = await Promise.all(
      counters.map(counter => startApi({ rateLimit: { counter, requests: 100, period: 60 } })),
    );
    const all = Array.from({ length: 300 }, (_, index) => apis[index % 2]?.call('/api/v1/clients'));
    const responses = await Promise.all(all);
    assert.equal(responses.filter(response => response?.status !== 429).length, 100);
    let last = 100;
    const [api] = apis;
    for (let index = 0; index < 5; index++) {
      const response = await api?.call('/api/v1/clients', { token: 'reader' });
      const remaining = Number(response?.headers['x-rate-limit-remaining']);
      assert.ok(remaining < last);
      last = remaining;
    }
    await Promise.all(apis.map(each => each.close()));
    await Promise.all(counters.map(counter => counter.close()));
  });

  it('count in memory while Redis is down, say so once, and go on in Redis', async () => {
    const own = await startRedis(program ?? '');
    respondsAgain = Promise.withResolvers();
    const counter = await newCounter(own.url);
    const api = await startApi({ rateLimit: { counter, requests: 3, period: 60 } });
    const { port } = new URL(own.url);
    assert.equal((await api.call('/api/v1/clients')).status, 200);
    await own.kill();
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await api.call('/api/v1/clients')).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    assert.equal(warnings.length, 1);
    const back = await startRedis(program ?? '', Number(port));
    const other = await newCounter(back.url);
    await respondsAgain.promise;
    await counter.consume('probe');
    assert.equal((await other.get('probe'))?.consumedPoints, 1);
    await api.close();
    await Promise.all([counter.close(), other.close()]);
    await back.kill();
  });

  it('send nothing more to a Redis that has stopped to respond, say so, and go on there when it does', async () => {
    const own = await startRedis(program ?? '');
    const [silent, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const counter = redisCounter(own.url, 60, { warn: () => silent.resolve(), info: () => again.resolve() }, 100);
    await counter.connected;
    const goOn = own.pause();
    for (let counted = 0; counted < 50; counted++) await counter.consume('a');
    await silent.promise;
    goOn();
    await again.promise;
    const other = await newCounter(own.url);
    // Those that were sent before the connection was given up.
    assert.ok(((await other.get('a'))?.consumedPoints ?? 0) <= 10);
    await Promise.all([counter.close(), other.close()]);
    await own.kill();
  });

  it('count in memory while Redis rejects what they write, say so once, and when it does no more', async () => {
    const own = await startRedis(program ?? '');
    const lines: string[] = [];
    const log = { warn: () => void lines.push('warn'), info: () => void lines.push('info') };
    const counter = redisCounter(own.url, 60, log, 60_000);
    await counter.connected;
    const administrator = new Redis(own.url);
    await administrator.replicaof('127.0.0.1', 1);
    const counted = [await counter.consume('a'), await counter.consume('a')];
    assert.deepEqual(
      counted.map(({ consumedPoints }) => consumedPoints),
      [1, 2],
    );
    assert.deepEqual(lines, ['warn']);
    await administrator.replicaof('no', 'one');
    assert.equal((await counter.consume('a')).consumedPoints, 1);
    assert.deepEqual(lines, ['warn', 'info']);
    administrator.disconnect();
    await counter.close();
    await own.kill();
  });

  it('count together with REDIS_URL, three of them behind a proxy', async () => {
    const installation = await openInstallation({
      REDIS_URL: redis.url,
      RATE_LIMIT: '600',
      RATE_LIMIT_PERIOD: '86400',
    });
    const { port } = await installation.startBalanced(3);
    const client = await installation.app.newClient();
    const remaining: number[] = [];
    for (let sent = 0; sent < 12; sent++)
      remaining.push(Number((await ask(port, client)).headers['x-rate-limit-remaining']));
    await installation.close();
    assert.deepEqual(
      remaining,
      Array.from({ length: 12 }, (_, sent) => 599 - sent),
    );
  });
});
