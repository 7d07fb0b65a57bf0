import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listingFormats, responseFormats } from '../../generated/formats.ts';
import { resources } from '../../generated/resources.ts';
import type { Json } from '../../src/core/call/reply.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import type { Database } from '../../src/db/open.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { ownDatabase } from '../support/database.ts';
import { cellOf, readCsv, readNdjson } from '../support/listings.ts';
import { type Operation, operations, pathOf, sampleBody } from '../support/operations.ts';
import { asTexts, readXmlListing } from '../support/xml.ts';

type Row = Readonly<Record<string, Json>>;

const table: Readonly<Record<string, Resource>> = resources;
const further = Object.keys(listingFormats);
const mediaTypes = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson' };
const isListing = ({ responses }: Operation): boolean => JSON.stringify(responses[200] ?? {}).includes('"text/csv"');
const listings = operations.filter(isListing);

/** For each format, an assertion that a document contains the same records as JSON. */
const comparisons: Readonly<Record<string, (text: string, rows: readonly Row[], names: readonly string[]) => void>> = {
  json: (text, rows) => assert.deepEqual(JSON.parse(text), rows),
  xml: (text, rows) => assert.deepEqual(readXmlListing(text), rows.map(asTexts)),
  csv: (text, rows, names) =>
    assert.deepEqual(readCsv(text), [names, ...rows.map(row => names.map(name => cellOf(row[name] ?? null)))]),
  ndjson: (text, rows) => assert.deepEqual(readNdjson(text), rows),
};

describe('every listing of the demo tenant', () => {
  let database: Database;
  let app: App;
  let demo: Pick<Client, 'tenant' | 'call'>;

  before(async () => {
    // A separate database, since the demo tenant uses the host name localhost.
    database = await ownDatabase();
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    app = await startApp(database, { keys });
    const { tenant, apiUser } = await fillDemo(database, { size: 'small', baseDomain: 'test' });
    const { token } = await createTokens({ database, keys, issuer: 'staffing' }).issueToken(tenant, apiUser.id, 3600);
    demo = { tenant, call: (...asked) => app.callAs({ tenant, token }, ...asked) };
    const nasty = ['=1+1', '+cmd|x', '-5', "'", '"a", b', 'a,b;c', '@x', 'ä😀\u2028', '<&>'];
    for (const company of nasty) {
      const { status, text } = await demo.call('POST', '/clients', { body: { company } });
      assert.equal(status, 201, `${company}: ${text}`);
    }
  });
  after(async () => {
    await app.close();
    await database.close();
  });

  const get = async (path: string) => {
    const response = await demo.call('GET', path);
    assert.equal(response.status, 200, `${path}: ${response.text}`);
    return response;
  };

  /** Returns the paths of a listing; for a nested one, those below some parents. */
  const pathsOf = async (operation: Operation): Promise<readonly string[]> => {
    if (!operation.parent) return [operation.path];
    const { body } = await get(`/${operation.parent.resource}?fields=id&limit=2`);
    return body.map(({ id }: { id: number }) => pathOf(operation, id));
  };

  it('is declared by the document, for every resource that has one', () => {
    for (const operation of operations.filter(({ verb }) => verb === 'list')) assert.ok(isListing(operation));
    assert.ok(listings.some(({ resource }) => resource === 'change-requests'));
    for (const { responses } of listings) {
      const { content } = responses[200] as { content: object };
      assert.deepEqual(Object.keys(content), [
        'application/json',
        'application/xml',
        'text/csv',
        'application/x-ndjson',
      ]);
    }
  });

  for (const operation of listings) {
    const { fields, relations } = table[operation.resource] as Resource;
    it(`is the same in every format: ${operation.operationId}`, async () => {
      const query = `limit=40${relations[0] ? `&embed=${relations[0].name}` : ''}`;
      for (const path of await pathsOf(operation)) {
        const rows: Row[] = (await get(`${path}?${query}`)).body;
        const own = rows[0] ? Object.keys(rows[0]) : fields.map(({ name }) => name);
        const names = own.filter(name => relations[0]?.name !== name);
        for (const [format, compare] of Object.entries(comparisons))
          compare((await get(`${path}.${format}?${query}`)).text, rows, names);
      }
    });
  }

  it('has a comparison for each format', () => {
    assert.deepEqual(Object.keys(comparisons).sort(), [...Object.keys(responseFormats), ...further].sort());
  });

  for (const [format, type] of Object.entries(mediaTypes)) {
    describe(`as .${format}`, () => {
      it('takes fields, filters and orders as JSON does', async () => {
        const query = 'fields=company,id&sort=-company&id=>1&status=1,2';
        const rows: Row[] = (await get(`/clients?${query}`)).body;
        assert.ok(rows.length > 5);
        const response = await get(`/clients.${format}?${query}`);
        comparisons[format]?.(response.text, rows, ['company', 'id']);
        assert.equal(response.headers['content-type'], type);
      });

      it('has pages, whose links lead to the same format', async () => {
        const pages: string[] = [];
        for (let path: string | undefined = `/clients.${format}?limit=4&count=true&sort=company`; path; ) {
          const { text, headers } = await get(path);
          assert.match(String(headers['x-total-count']), /^\d+$/);
          pages.push(pages.length > 0 && format === 'csv' ? text.slice(text.indexOf('\r\n') + 2) : text);
          path = /<\/api\/v1(\/clients\.[^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
        }
        assert.ok(pages.length > 2);
        assert.equal(pages.join(''), (await get(`/clients.${format}?sort=company`)).text);
      });

      it('has its own tag, 304, and HEAD without a body', async () => {
        const path = `/clients.${format}`;
        const { headers } = await get(path);
        assert.notEqual(headers.etag, (await get('/clients')).headers.etag);
        const unchanged = await demo.call('GET', path, { headers: { 'If-None-Match': String(headers.etag) } });
        assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
        const head = await demo.call('HEAD', path);
        assert.deepEqual([head.status, head.text], [200, '']);
        assert.deepEqual([head.headers.etag, head.headers['content-type']], [headers.etag, type]);
      });

      it('has a tag and no record where none passes', async () => {
        const { text, headers } = await get(`/clients.${format}?fields=id,company&id=1&company=~none`);
        assert.equal(text, format === 'csv' ? 'id,company\r\n' : '');
        assert.match(String(headers.etag), /^"/);
      });

      it('has its errors as JSON', async () => {
        for (const [query, code] of [
          ['nonsense=1', 'unknown_field'],
          ['limit=0', 'invalid_parameter'],
        ]) {
          const { status, headers, body } = await demo.call('GET', `/clients.${format}?${query}`);
          assert.deepEqual([status, body.code], [400, code]);
          assert.equal(headers['content-type'], 'application/json; charset=utf-8');
        }
      });

      it('is in no envelope and in no script', async () => {
        const wrong = { 'envelope=true': 'invalid_parameter', 'callback=f': 'invalid_callback' };
        for (const [query, code] of Object.entries(wrong)) {
          const { status, body } = await demo.call('GET', `/clients.${format}?${query}`);
          assert.deepEqual([status, body.code], [400, code]);
        }
        assert.equal((await get(`/clients.${format}?envelope=false`)).status, 200);
      });

      it('is no form of anything else: records, writes, actions, documents', async () => {
        const others = operations.filter(operation => !isListing(operation) && !operation.open);
        assert.ok(others.some(({ verb }) => verb === undefined));
        for (const operation of others) {
          const [path, query] = pathOf(operation, 1).split('?');
          const asked = `${path}.${format}${query ? `?${query}` : ''}`;
          const writes = operation.method === 'POST' || operation.method === 'PUT';
          const body = writes ? sampleBody(operation) : undefined;
          const response = await demo.call(operation.method, asked, { body });
          assert.deepEqual([response.status, response.body?.code], [404, 'not_found'], `${operation.method} ${asked}`);
        }
        for (const path of ['/openapi', '/nonsense', '/clients/x'])
          assert.equal((await demo.call('GET', `${path}.${format}`)).status, 404);
      });

      it('is 404 behind the token and before the module', async () => {
        const stranger = await app.callAs({ tenant: demo.tenant, token: '' }, 'GET', `/clients/1.${format}`);
        assert.equal(stranger.status, 401);
        const without = await app.newClient({ modules: new Set() });
        assert.equal((await without.call('GET', `/checkins/1.${format}`)).status, 404);
        assert.equal((await without.call('GET', `/checkins.${format}`)).status, 403);
      });
    });
  }
});
