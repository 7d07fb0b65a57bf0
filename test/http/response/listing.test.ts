import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { listingFormats } from '../../../generated/formats.ts';
import type { Reply } from '../../../src/core/call/reply.ts';
import { Cells } from '../../../src/core/resource/cells.ts';
import type { Representation } from '../../../src/core/resource/representation.ts';
import { negotiate } from '../../../src/http/request/negotiate.ts';
import { renderReply } from '../../../src/http/response/render.ts';
import { Spools } from '../../../src/http/response/spool.ts';

const representation: Representation = {
  plural: 'clients',
  singular: 'client',
  many: true,
  members: [
    { name: 'id', type: 'integer' },
    { name: 'event.name', type: 'text' },
    { name: 'data', type: 'json' },
    { name: 'contacts', many: true, singular: 'contact', members: [{ name: 'id', type: 'integer' }] },
  ],
  records: [
    Cells.of('1', '</client></clients>\u2028<clients>', '{"__proto__": [], "a": {"b": []}}', []),
    Cells.of('2', null, null, [Cells.of('7'), Cells.of('8')]),
    Cells.of('3', ' \r\n ', '[1, null, "x"]', [Cells.of('9')]),
    Cells.of('4', '', '{}', []),
    Cells.of('5', '"response": null\n}', '[]', []),
  ],
};

const limits = { files: 2, bytes: 1_000_000, threshold: 0 };

/** The records in batches of two. */
const listing = (records: readonly Cells[] = representation.records): Reply => ({
  status: 200,
  headers: { link: '</b>; rel="next"' },
  body: {
    kind: 'listing',
    representation,
    produce: consume =>
      consume(
        (async function* () {
          for (let index = 0; index < records.length; index += 2) yield records.slice(index, index + 2);
        })(),
      ),
  },
});

const whole = (records: readonly Cells[] = representation.records): Reply => ({
  ...listing(),
  body: { kind: 'rows', representation: { ...representation, records } },
});

const ask = async (
  reply: Reply,
  url: string,
  acceptEncoding: string,
  ifNoneMatch?: string,
  spools = new Spools(limits),
) => {
  const { status, headers, bytes, spool } = await renderReply(
    reply,
    { link: '</a>; rel="successor-version"' },
    {
      wire: negotiate({ method: 'GET', url, headers: {} }),
      tenantId: 1,
      ifNoneMatch,
      acceptEncoding,
      spooling: { spools, signal: new AbortController().signal },
      settings: { defuseCsv: true },
    },
  );
  const chunks: Buffer[] = bytes ? [bytes] : [];
  if (spool) for await (const chunk of spool.stream()) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (spool) assert.equal(body.length, spool.length);
  await spool?.close();
  assert.deepEqual(spools.usage, { files: 0, bytes: 0 });
  const text =
    body.length > 0 && headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : body.toString();
  return { status, headers, text };
};

describe('a listing that is spooled', () => {
  const urls = ['/api/v1/clients', '/api/v1/clients.xml'].flatMap(url => [url, `${url}?envelope=true`]);
  const further = Object.keys(listingFormats).map(format => `/api/v1/clients.${format}`);
  for (const url of [...urls, ...further, '/api/v1/clients?callback=a.b']) {
    for (const coding of ['gzip', 'identity']) {
      it(`is ${url} as it is in memory (${coding})`, async () => {
        const want = await ask(whole(), url, coding);
        assert.deepEqual(await ask(listing(), url, coding), want);
        assert.equal(want.headers.link, '</a>; rel="successor-version", </b>; rel="next"');
        const inMemory = new Spools({ ...limits, threshold: 1_000_000 });
        assert.deepEqual(await ask(listing(), url, coding, undefined, inMemory), want);
        assert.deepEqual(await ask(listing([]), url, coding), await ask(whole([]), url, coding));
        const etag = String((await ask(whole(), url.split('?')[0] as string, coding)).headers.etag);
        const unchanged = await ask(listing(), url, coding, etag);
        assert.deepEqual(unchanged, await ask(whole(), url, coding, etag));
        assert.equal(unchanged.status, url.includes('?') ? 200 : 304);
      });
    }
  }

  it('is refused where the disk is full, and leaves no file open', async ({ mock }) => {
    const some = await open('/dev/null');
    const prototype: typeof some = Object.getPrototypeOf(some);
    await some.close();
    const written = new Set<typeof some>();
    mock.method(prototype, 'write', async function (this: typeof some) {
      written.add(this);
      throw new Error('ENOSPC');
    });
    for (const threshold of [0, 500]) {
      const spools = new Spools({ ...limits, threshold });
      await assert.rejects(ask(listing(), '/api/v1/clients', 'identity', undefined, spools), {
        code: 'service_unavailable',
      });
      assert.deepEqual(spools.usage, { files: 0, bytes: 0 });
    }
    assert.deepEqual(
      [...written].map(({ fd }) => fd),
      [-1, -1],
    );
  });

  it('is refused where files or bytes run out, and leaves nothing behind', async () => {
    for (const tight of [{ files: 0 }, { bytes: 100 }, { folder: '/nowhere' }]) {
      const spools = new Spools({ ...limits, ...tight });
      for (const url of urls)
        await assert.rejects(ask(listing(), url, 'identity', undefined, spools), { code: 'service_unavailable' });
      assert.deepEqual(spools.usage, { files: 0, bytes: 0 });
    }
  });
});

describe('listings that are encoded at the same time', () => {
  const long = Array.from({ length: 300 }, (_, index) => Cells.of(String(index), `name ${index}`, '[1]', []));
  const other = long.map(cells => cells.with(1, 'of another listing'));
  for (const url of ['', '.xml', '.csv', '.ndjson', '?envelope=true'].map(end => `/api/v1/clients${end}`))
    for (const coding of ['gzip', 'identity'])
      it(`have their own records each (${url}, ${coding})`, async () => {
        const replies = [long, other].flatMap(records => [listing(records), whole(records)]);
        const alone = [];
        for (const reply of replies)
          alone.push(await ask(reply, url, coding, undefined, new Spools({ ...limits, files: 9 })));
        const together = replies.map(reply => ask(reply, url, coding, undefined, new Spools({ ...limits, files: 9 })));
        assert.deepEqual(await Promise.all(together), alone);
        assert.notEqual(alone[0]?.text, alone[2]?.text);
        assert.equal(alone[0]?.text, alone[1]?.text);
      });
});

describe('a long listing', () => {
  const records = Array.from({ length: 1000 }, (_, index) => Cells.of(String(index), null, null, []));
  const replies: [label: string, reply: Reply][] = [
    ['in memory', { status: 200, headers: {}, body: { kind: 'rows', representation: { ...representation, records } } }],
    [
      'in batches',
      {
        ...listing(),
        body: { kind: 'listing', representation, produce: consume => consume(Readable.from([records])) },
      },
    ],
  ];
  for (const [label, reply] of replies)
    for (const url of ['', '.xml', '.csv', '.ndjson', '?envelope=true', '.xml?envelope=true', '?callback=f'])
      it(`lets other requests go first while it is encoded (${label}, ${url})`, async () => {
        let running = true;
        let others = 0;
        const counting = (async () => {
          for (; running; others++) await setImmediate();
        })();
        const spooling = {
          spools: new Spools({ ...limits, threshold: 10_000_000 }),
          signal: AbortSignal.timeout(60_000),
        };
        const request = {
          ...{ wire: negotiate({ url: `/api/v1/clients${url}`, headers: {} }), tenantId: 1, spooling },
          ...{ ifNoneMatch: undefined, acceptEncoding: 'identity', settings: { defuseCsv: true } },
          ...{ range: undefined, ifRange: undefined },
        };
        await renderReply(reply, {}, request);
        running = false;
        await counting;
        assert.ok(others >= 19, String(others));
      });
});
