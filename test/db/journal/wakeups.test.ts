import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Wakeups } from '../../../src/db/journal/wakeups.ts';
import { until } from '../../support/until.ts';

const none = new AbortController().signal;

/** A read whose end the test decides, and how often it was begun. */
const heldRead = () => {
  const runs: PromiseWithResolvers<string>[] = [];
  const read = (): Promise<string> => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    return run.promise;
  };
  return { read, runs };
};

describe('a shared read', () => {
  const wakeups = new Wakeups(null as never);

  it('is made once for all that want the same at a time, and again afterwards', async () => {
    const { read, runs } = heldRead();
    const all = ['a', 'a', 'b', 'a'].map(key => wakeups.share(key, none, read));
    assert.equal(runs.length, 2);
    runs[0]?.resolve('first');
    runs[1]?.resolve('other');
    assert.deepEqual(await Promise.all(all), ['first', 'first', 'other', 'first']);
    const later = wakeups.share('a', none, read);
    runs[2]?.resolve('later');
    assert.equal(await later, 'later');
  });

  it('fails for all of them', async () => {
    const { read, runs } = heldRead();
    const all = [1, 2, 3].map(() => wakeups.share('c', none, read));
    runs[0]?.reject(new Error('fails'));
    for (const result of await Promise.allSettled(all)) assert.equal(result.status, 'rejected');
    assert.equal(runs.length, 1);
  });

  it('is made by another one, for the rest, if the request that reads is cancelled', async () => {
    const { read, runs } = heldRead();
    const cancelled = new AbortController();
    const first = wakeups.share('d', cancelled.signal, read);
    const others = [1, 2, 3].map(() => wakeups.share('d', none, read));
    cancelled.abort();
    runs[0]?.reject(new Error('cancelled'));
    await assert.rejects(first, /cancelled/);
    await until('another request reads', () => runs.length >= 2);
    runs[1]?.resolve('second');
    assert.deepEqual(await Promise.all(others), ['second', 'second', 'second']);
    assert.equal(runs.length, 2);
  });
});

describe('the requests that wait', () => {
  it('are counted, and what follows journals for the service is not', async () => {
    const wakeups = new Wakeups({} as never);
    const waits = [
      wakeups.wait(1, 0, 60_000, none),
      wakeups.waitForConflicts(1, 0, 60_000, none),
      wakeups.follow(1, 0, 60_000, none),
      wakeups.follow(2, 0, 60_000, none),
    ];
    assert.equal(wakeups.waiting, 2);
    wakeups.stop();
    await Promise.all(waits);
    assert.equal(wakeups.waiting, 0);
  });
});

describe('a wait that ends without entries', () => {
  it('tells so: after its time, cancelled, or when the server stops', async () => {
    const wakeups = new Wakeups({} as never);
    const cancelled = new AbortController();
    const waits = [
      wakeups.wait(1, 0, 1, none),
      wakeups.wait(1, 0, 60_000, cancelled.signal),
      wakeups.wait(2, 0, 60_000, none),
    ];
    cancelled.abort();
    assert.deepEqual(await Promise.all(waits.slice(0, 2)), [false, false]);
    wakeups.stop();
    assert.deepEqual(await Promise.all(waits), [false, false, false]);
    assert.equal(await wakeups.wait(1, 0, 60_000, none), false);
  });
});
