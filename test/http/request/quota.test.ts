import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { addressHeaders, memoryCounter, networkOf, quotaOf } from '../../../src/http/request/rate-limit.ts';

describe('memoryCounter', () => {
  it('counts each key by itself, and reading counts nothing', async () => {
    const counter = memoryCounter(60);
    assert.deepEqual(await counter.get('a'), null);
    assert.equal((await counter.consume('a')).consumedPoints, 1);
    assert.equal((await counter.consume('a')).consumedPoints, 2);
    assert.equal((await counter.consume('b')).consumedPoints, 1);
    assert.equal((await counter.get('a'))?.consumedPoints, 2);
  });

  it('begins anew when the period is over', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const counter = memoryCounter(60);
    await counter.consume('a');
    mock.timers.tick(59_000);
    const { consumedPoints, msBeforeNext } = await counter.consume('a');
    assert.deepEqual([consumedPoints, msBeforeNext], [2, 1000]);
    mock.timers.tick(1000);
    assert.deepEqual(await counter.get('a'), null);
    assert.equal((await counter.consume('a')).consumedPoints, 1);
    mock.timers.reset();
  });
});

describe('quotaOf', () => {
  it('tells what remains, never less than nothing, and a reset within the period', () => {
    assert.deepEqual(quotaOf({ consumedPoints: 1, msBeforeNext: 59_001 }, 2, 60), {
      limit: 2,
      remaining: 1,
      reset: 60,
      exceeded: false,
    });
    assert.deepEqual(quotaOf({ consumedPoints: 2, msBeforeNext: 1 }, 2, 60), {
      limit: 2,
      remaining: 0,
      reset: 1,
      exceeded: false,
    });
    assert.deepEqual(quotaOf({ consumedPoints: 9, msBeforeNext: 0 }, 2, 60), {
      limit: 2,
      remaining: 0,
      reset: 0,
      exceeded: true,
    });
    assert.equal(quotaOf({ consumedPoints: 1, msBeforeNext: 3_700_000 }, 2, 60).reset, 60);
    assert.equal(quotaOf({ consumedPoints: 1, msBeforeNext: -5000 }, 2, 60).reset, 0);
  });
});

describe('addressHeaders', () => {
  it('tell an IPv4 address its quota in either form of it', async () => {
    const counter = memoryCounter(60);
    await counter.consume('address:192.0.2.1');
    const headersOf = addressHeaders({ counter, requests: 5, period: 60 });
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1'])
      assert.equal((await headersOf(address))['x-rate-limit-remaining'], '4', address);
    assert.equal((await headersOf('::ffff:192.0.2.2'))['x-rate-limit-remaining'], '5');
  });
});

describe('networkOf', () => {
  const cases: [address: string, want: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3::', '1:2:3:0::/64'],
  ];
  for (const [address, want] of cases) it(`takes ${address} for ${want}`, () => assert.equal(networkOf(address), want));
});
