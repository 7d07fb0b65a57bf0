import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ReadBasis, ReadyBody, Reply } from '../../../src/core/call/reply.ts';
import { tallies } from '../../../src/core/tally.ts';
import type { Earlier } from '../../../src/db/journal/snapshots.ts';
import { createRepeats, type RepeatOptions } from '../../../src/http/operation/repeats.ts';
import type { Admitted } from '../../../src/http/operation/steps.ts';
import { negotiate } from '../../../src/http/request/negotiate.ts';
import { demo, rows } from '../support/api.ts';

const now = Date.parse('2026-06-12T12:00:00Z');

/** A request for clients; `changed` replaces parts of it. */
const request = (changed: Changed = {}): Admitted =>
  ({
    request: {
      tenant: { ...demo, ...changed.tenant },
      wire: { ...negotiate({ headers: {} }), envelope: changed.envelope ?? false },
      exchange: {
        req: { url: changed.url ?? '/api/v1/clients', headers: { 'accept-encoding': changed.coding ?? 'gzip' } },
        state: { signal: new AbortController().signal },
      },
    },
    match: { operation: { verb: 'verb' in changed ? changed.verb : 'list' } },
    principal: { apiUser: { id: 7, scopes: [], hidden: [], ...changed.apiUser } },
  }) as unknown as Admitted;

interface Changed {
  readonly tenant?: object;
  readonly apiUser?: object;
  readonly url?: string;
  readonly coding?: string;
  readonly envelope?: boolean;
  readonly verb?: string | undefined;
}

/** The cache of replies, over reads that are counted. */
const counted = (options: Partial<RepeatOptions> = {}) => {
  const state = { reads: 0, asked: [] as Earlier[] };
  const holds: RepeatOptions['holds'] = async (_, earlier) => state.asked.push(earlier) > 0;
  const repeats = createRepeats({ bytes: 1_000_000, holds, ...options }, { defuseCsv: true });
  const read = (admitted: Admitted, changed: Partial<Reply> = {}, ...snapshots: string[]): Promise<Reply> =>
    repeats.serve(admitted, async seen => {
      state.reads++;
      for (const snapshot of snapshots.length > 0 ? snapshots : ['1:1:'])
        seen?.push({ version: 'v', snapshot, server: 's' });
      return { ...rows, basis: basis(), ...changed };
    });
  return { state, read };
};

const basis = (until: number | null = null): ReadBasis => ({ reads: new Set(['clients']), until });

const missed = async (first: Changed, second: Changed, changed: Partial<Reply> = {}): Promise<boolean> => {
  const { state, read } = counted();
  await read(request(first), changed);
  await read(request(second), changed);
  return state.reads === 2;
};

test('the same request is read once, and the reply is that of its own form', async () => {
  for (const coding of ['gzip', 'identity']) {
    const { state, read } = counted();
    const first = await read(request({ coding }));
    assert.equal(await read(request({ coding })), first);
    assert.equal(state.reads, 1);
    const { bytes, gzip, type } = first.body as ReadyBody;
    assert.equal(gzip, coding === 'gzip');
    assert.equal(type, 'application/json; charset=utf-8');
    assert.equal(JSON.parse((gzip ? gunzipSync(bytes) : bytes).toString()).length, 2);
  }
});

const others: readonly [what: string, changed: Changed][] = [
  ['tenant', { tenant: { id: 2 } }],
  ['time zone', { tenant: { timeZone: 'UTC' } }],
  ['clock of the tenant', { tenant: { clockAhead: 1 } }],
  ['set of modules', { tenant: { modules: new Set(['payroll']) } }],
  ['scope', { apiUser: { scopes: ['clients:read'] } }],
  ['mask', { apiUser: { hidden: ['pay'] } }],
  ['query', { url: '/api/v1/clients?limit=1' }],
  ['format', { url: '/api/v1/clients.xml' }],
  ['coding', { coding: 'identity' }],
];
for (const [what, changed] of others)
  test(`another ${what} is another request`, async () => {
    assert.equal(await missed({}, changed), true);
    assert.equal(await missed(changed, changed), false);
  });

test('API users who see the same share a reply, unless something is hidden: what they see of their own differs', async () => {
  assert.equal(await missed({ apiUser: { id: 7 } }, { apiUser: { id: 8 } }), false);
  const apiUser = { id: 7, hidden: ['pay'] };
  assert.equal(await missed({ apiUser }, { apiUser: { ...apiUser, id: 8 } }), true);
});

test('what is not known to follow from the journal is not kept: actions, envelopes, errors, other bodies', async () => {
  assert.equal(await missed({ verb: undefined }, { verb: undefined }), true);
  assert.equal(await missed({ verb: 'create' }, { verb: 'create' }), true);
  assert.equal(await missed({ envelope: true }, { envelope: true }), true);
  assert.equal(await missed({}, {}, { basis: null }), true);
  assert.equal(await missed({}, {}, { body: { kind: 'value', name: 'x', value: 1 } }), true);
});

test('without a snapshot nothing is kept, and with several the earliest one is asked about', async () => {
  const { state, read } = counted();
  const silent = createRepeats({ bytes: 1_000_000, holds: async () => true }, { defuseCsv: true });
  let reads = 0;
  const count = async (): Promise<Reply> => {
    reads++;
    return { ...rows, basis: basis() };
  };
  for (const _ of [1, 2]) await silent.serve(request(), count);
  assert.equal(reads, 2);
  await read(request(), {}, '1:2:', '3:4:');
  await read(request());
  assert.deepEqual(state.asked, [{ version: 'v', snapshot: '1:2:', server: 's', resources: new Set(['clients']) }]);
});

test('what cannot be confirmed is read again', async () => {
  const { state, read } = counted({ holds: () => Promise.reject(new Error('The database is busy.')) });
  const first = await read(request());
  await read(request());
  assert.equal(state.reads, 2);
  assert.equal(first.status, 200);
});

test('what no longer holds is read again, and the new reply kept', async () => {
  let responses = [false, true];
  const { state, read } = counted({ holds: async () => responses.shift() ?? true });
  await read(request(), { headers: { 'x-total-count': '1' } });
  const second = await read(request(), { headers: { 'x-total-count': '2' } });
  assert.equal(await read(request()), second);
  assert.equal(state.reads, 2);
  responses = [];
});

test('a reply is kept until its time, and for minutes at most', async () => {
  mock.timers.enable({ apis: ['Date'], now });
  try {
    for (const [until, longest] of [
      [now + 60_000, 60_000],
      [null, 300_000],
      [now + 86_400_000, 300_000],
      [0, 0],
    ] as const) {
      mock.timers.setTime(now);
      const { state, read } = counted();
      await read(request(), { basis: basis(until) });
      if (longest > 0) {
        mock.timers.setTime(now + longest - 1);
        await read(request(), { basis: basis(until) });
        assert.equal(state.reads, 1, `${until}`);
        mock.timers.setTime(now + longest);
      }
      await read(request(), { basis: basis(until) });
      assert.equal(state.reads, 2, `${until}`);
    }
  } finally {
    mock.timers.reset();
  }
});

test('what is right for the present moment only takes no room from others', async () => {
  const { state, read } = counted({ bytes: 40_000 });
  await read(request());
  for (let n = 0; n < 100; n++) await read(request({ url: `/api/v1/clients/${n}` }), { basis: basis(Date.now()) });
  await read(request());
  assert.equal(state.reads, 101);
});

const count = (tally: 'cacheHits' | 'cacheMisses' | 'cacheEvicted'): number =>
  new Map(tallies[tally].entries()).get('responses') ?? 0;

test('replies take no more than the configured bytes: the ones used last stay, and what is removed is counted', async () => {
  const [hits, misses, evicted] = [count('cacheHits'), count('cacheMisses'), count('cacheEvicted')];
  const { state, read } = counted({ bytes: 40_000 });
  const of = (n: number) => request({ url: `/api/v1/clients/${n}` });
  for (let n = 0; n < 100; n++) {
    await read(of(0));
    await read(of(n));
  }
  assert.equal(state.reads, 100);
  assert.equal(count('cacheHits') - hits, 100);
  assert.equal(count('cacheMisses') - misses, 100);
  const removed = count('cacheEvicted') - evicted;
  assert.ok(removed > 100 * 2_000 - 40_000, `${removed}`);
  await read(of(1));
  assert.equal(state.reads, 101);
});

test('a reply that would take most of them is not kept, and none is if there are none', async () => {
  for (const bytes of [8_000, 0]) {
    const { state, read } = counted({ bytes });
    for (const _ of [1, 2]) await read(request());
    assert.equal(state.reads, 2);
  }
});
