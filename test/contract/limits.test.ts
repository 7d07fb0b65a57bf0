import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { openDatabase } from '../../src/db/open.ts';
import { type Asked, startApp } from '../support/app.ts';
import { anyDatabase, inMemory, migratedUrl } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';

type Case = readonly [label: string, within: Request, past: Request, status: number, code: string];
type Request = readonly [method: string, path: string, asked?: Asked];

const conditions = (count: number): Request => ['GET', `/clients?${'company[]=a&'.repeat(count)}`];
const alternatives = (count: number): Request => ['GET', `/clients?company=${Array(count).fill('a').join(',')}`];
const valued = (bytes: number, last: string): Request => ['GET', `/clients?company=b,${'a'.repeat(bytes - 1)}${last}`];
const sorted = (count: number): Request => ['GET', `/assignments?sort=${sortable.slice(0, count).join(',')}`];
const embedded = (count: number): Request => ['GET', `/assignments?embed=${relations.slice(0, count).join(',')}`];
const nested = (depth: number): Request => [
  'POST',
  '/clients',
  { body: `{"company":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}` },
];
const long = (bytes: number): Request => [
  'GET',
  `/clients?company=${'x'.repeat(bytes - '/api/v1/clients?company='.length)}`,
];
const large = (bytes: number): Request => ['POST', '/clients', { body: text(bytes) }];
const zipped = (bytes: number): Request => [
  'POST',
  '/clients',
  { headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, body: gzipSync(text(bytes)) },
];
const uploaded = (bytes: number): Request => ['POST', '/files', { body: Buffer.alloc(bytes, 1) }];

const text = (bytes: number) => `{"company":"${'x'.repeat(bytes - 14)}"}`;
const sortable = [
  'id',
  'employee_id',
  'event_id',
  'status',
  'remarks',
  'start',
  'end',
  'is_approved',
  'paid_on',
  'created_at',
  'updated_at',
];
const relations = ['assignmentEmployee', 'assignmentEvent', 'assignmentProject', 'paysheets', 'checkins', 'wages'];

/** For each limit, a request at the limit and one beyond it. The former may fail, but not with the limit's error. */
const casesOf = (
  limit: Record<
    'filters' | 'filterValues' | 'filterBytes' | 'sortFields' | 'embeds' | 'jsonDepth' | 'url' | 'body' | 'file',
    number
  >,
): readonly Case[] => [
  ['filter conditions', conditions(limit.filters), conditions(limit.filters + 1), 400, 'invalid_parameter'],
  ['filter values', alternatives(limit.filterValues), alternatives(limit.filterValues + 1), 400, 'invalid_parameter'],
  // A character of two bytes is one beyond.
  [
    'bytes of a filter value',
    valued(limit.filterBytes, 'a'),
    valued(limit.filterBytes, '%C3%A4'),
    400,
    'invalid_parameter',
  ],
  ['sort fields', sorted(limit.sortFields), sorted(limit.sortFields + 1), 400, 'invalid_parameter'],
  ['embeds', embedded(limit.embeds), embedded(limit.embeds + 1), 400, 'invalid_parameter'],
  ['levels of nesting', nested(limit.jsonDepth), nested(limit.jsonDepth + 1), 400, 'malformed_json'],
  ['bytes of a URL', long(limit.url), long(limit.url + 1), 414, 'uri_too_long'],
  ['bytes of a body', large(limit.body), large(limit.body + 1), 413, 'payload_too_large'],
  ['bytes of an inflated body', zipped(limit.body), zipped(limit.body + 1), 413, 'payload_too_large'],
  ['bytes of a file', uploaded(limit.file), uploaded(limit.file + 1), 413, 'payload_too_large'],
];

const usual = {
  filters: 50,
  filterValues: 500,
  filterBytes: 1024,
  sortFields: 10,
  embeds: 5,
  jsonDepth: 64,
  url: 8192,
  body: 1_048_576,
};
const own = {
  filters: 2,
  filterValues: 3,
  filterBytes: 40,
  sortFields: 1,
  embeds: 1,
  jsonDepth: 3,
  url: 300,
  body: 1000,
};

for (const [label, limits, file] of [
  ['usual', {}, 1_048_576],
  ['configured', own, 2000],
] as const)
  describe(`the ${label} limit`, () => {
    const { client } = useApp(anyDatabase, { limits, files: { limit: file } });

    for (const [what, within, past, status, code] of casesOf({ ...usual, ...limits, file })) {
      it(`of ${what} holds exactly`, async () => {
        const [passed, refused] = [await client.call(...within), await client.call(...past)];
        assert.notEqual(passed.body?.code, code, passed.text);
        assert.ok(passed.status < 500, passed.text);
        assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text);
      });
    }
  });

it('a statement that exceeds its timeout results in 503 with Retry-After, for its own request alone', async () => {
  const url = await migratedUrl();
  const database = openDatabase({ ...inMemory, url, statementTimeoutMs: 1000 });
  const app = await startApp(database);
  const client = await app.newClient();
  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  await locker.query('begin; lock table clients in access exclusive mode');
  for (const [method, path, body] of [
    ['GET', '/clients'],
    ['GET', '/clients/1'],
    ['POST', '/clients', { company: 'Late' }],
  ] as const) {
    const [response, other] = await Promise.all([
      client.call(method, path, body && { body }),
      client.call('GET', '/functions'),
    ]);
    assert.equal(other.status, 200);
    assert.deepEqual([response.status, response.body.code], [503, 'service_unavailable']);
    assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/);
  }
  await locker.query('rollback');
  await locker.end();
  assert.deepEqual((await client.call('GET', '/clients')).body, []);
  await app.close();
  await database.close();
});
