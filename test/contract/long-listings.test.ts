import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import type { Json } from '../../src/core/call/reply.ts';
import { openDatabase } from '../../src/db/open.ts';
import { Spools } from '../../src/http/response/spool.ts';
import { startApp } from '../support/app.ts';
import { forEachDatabase, inMemory, migratedUrl, onServer } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { cellOf, readCsv, readNdjson, readPages } from '../support/listings.ts';
import { until } from '../support/until.ts';

const length = 2500;

forEachDatabase((name, getDatabase) => {
  const spools = new Spools({ files: 2, bytes: 10_000_000, threshold: 1000 });
  const { client, app } = useApp(getDatabase, { spools });

  before(async () => {
    const { id } = client.tenant;
    const text = `insert into clients (tenant_id, id, company, status) select $1, 1000 + n, 'Client ' || n, 1 from generate_series(1, ${length}) n returning id as journal_id`;
    await getDatabase().asOwner(id, ({ send }) => send({ name: null, text, values: [String(id)] }));
    await client.call('POST', '/contacts', {
      body: { client_id: (await client.call('GET', '/clients?limit=1')).body[0].id, lastname: 'Embedded' },
    });
  });

  /** Waits until the server has released its files, which it does once the response has been sent. */
  const freed = async () => {
    await until('the files are released', () => spools.usage.files === 0);
    assert.deepEqual(spools.usage, { files: 0, bytes: 0 });
  };

  describe('a listing without limit', () => {
    it('contains the same records as its pages', async () => {
      for (const query of ['', 'sort=-company', 'embed=contacts&fields=company']) {
        const { body, headers } = await client.call('GET', `/clients?count=true&${query}`);
        assert.equal(body.length, length);
        assert.equal(headers['x-total-count'], String(length));
        assert.equal(headers.link, undefined);
        const pages = await readPages(client, `/clients?limit=900&${query}`);
        assert.deepEqual(body, pages);
      }
      await freed();
    });

    it('has all of its records as CSV and as JSON lines', async () => {
      const query = 'fields=company,id,status&sort=-company';
      const { body } = await client.call('GET', `/clients?${query}`);
      assert.deepEqual(readNdjson((await client.call('GET', `/clients.ndjson?${query}`)).text), body);
      const cells = body.map((record: Record<string, Json>) => Object.values(record).map(cellOf));
      const [names, ...rows] = readCsv((await client.call('GET', `/clients.csv?${query}`)).text);
      assert.deepEqual([names, rows.length], [['company', 'id', 'status'], length]);
      assert.deepEqual(rows, cells);
      await freed();
    });

    it('is sent without a warning of Node.js', async () => {
      const warnings: string[] = [];
      const hear = ({ message }: Error) => void warnings.push(message);
      process.on('warning', hear);
      await client.call('GET', '/clients', { headers: { 'Accept-Encoding': 'identity' } });
      await freed();
      process.off('warning', hear);
      assert.deepEqual(warnings, []);
    });

    it('has a tag, a length, compression, and an empty response to HEAD', async () => {
      for (const path of [
        '/clients',
        '/clients.xml',
        '/clients.csv',
        '/clients.ndjson',
        '/clients?envelope=true',
        '/clients?callback=f',
      ]) {
        for (const coding of ['gzip', 'identity']) {
          const headers = { 'Accept-Encoding': coding };
          const response = await client.call('GET', path, { headers });
          assert.equal(response.status, 200);
          assert.equal(response.headers['content-encoding'], coding === 'gzip' ? 'gzip' : undefined);
          if (coding === 'identity')
            assert.equal(response.headers['content-length'], String(Buffer.byteLength(response.text)));
          if (path.includes('callback')) continue;
          const head = await client.call('HEAD', path, { headers });
          assert.deepEqual([head.status, head.text], [200, '']);
          // An envelope contains the id of the request.
          if (path.includes('?')) continue;
          assert.equal(head.headers['content-length'], response.headers['content-length']);
          assert.equal(head.headers.etag, response.headers.etag);
          const tag = { ...headers, 'If-None-Match': String(response.headers.etag) };
          assert.equal((await client.call('GET', path, { headers: tag })).status, 304);
        }
      }
      await freed();
    });

    it('is rejected while the storage for it is full, and other requests are not', async () => {
      spools.reserve(2, 0);
      const refused = await client.call('GET', '/clients');
      assert.deepEqual([refused.status, refused.body.code], [503, 'service_unavailable']);
      assert.match(String(refused.headers['retry-after']), /^\d+$/);
      const enveloped = await client.call('GET', '/clients?envelope=true');
      assert.deepEqual([enveloped.status, enveloped.body.status_code], [200, 503]);
      assert.equal((await client.call('GET', '/clients?limit=1000')).status, 200);
      spools.release(2, 0);
      assert.equal((await client.call('GET', '/clients')).status, 200);
      await freed();
    });

    it('can be read by nobody else while it is stored', async () => {
      const spool = new Spools({ files: 1, bytes: 9, threshold: 0 }).open();
      await spool.write(Buffer.from('private'));
      const files = readdirSync('/proc/self/fd').map(name => `/proc/self/fd/${name}`);
      const modes = files
        .filter(file => existsSync(file) && /\/staffing-[-0-9a-f]{36} \(deleted\)$/.test(readlinkSync(file)))
        .map(file => (statSync(file).mode & 0o777).toString(8));
      await spool.close();
      assert.deepEqual(new Set(modes), new Set(['600']));
    });

    it('frees all storage when its client disconnects', { timeout: 30_000 }, async () => {
      const headers = {
        Host: `${client.tenant.slug}.test`,
        Authorization: `Bearer ${client.token}`,
        'X-Forwarded-Proto': 'https',
        'Accept-Encoding': 'identity',
      };
      const target = { host: '127.0.0.1', port: app.port, path: '/api/v1/clients', headers };
      for (let index = 0; index < 20; index++) {
        const asked = request(target)
          .on('error', () => {})
          .end();
        if (index % 2 === 0) {
          const [response] = await once(asked, 'response');
          response.destroy();
        } else {
          await once(asked, 'finish');
          await new Promise(resolve => setImmediate(resolve));
          asked.destroy();
        }
      }
      assert.equal((await client.call('GET', '/clients?limit=1')).status, 200);
      await freed();
    });
  });

  if (name === 'postgres')
    describe('a read whose client disconnects', () => {
      it('of any kind is cancelled in the database long before its deadline', { timeout: 60_000 }, async test => {
        const url = await migratedUrl();
        const database = openDatabase({ ...inMemory, url });
        const own = await startApp(database);
        const caller = await own.newClient();
        const { id } = (await caller.call('POST', '/clients', { body: { company: 'Locked' } })).body;
        const locker = new pg.Client({ connectionString: url });
        await locker.connect();
        test.after(async () => {
          await locker.end();
          await own.close();
          await database.close();
        });
        await locker.query('begin; lock table clients in access exclusive mode');
        const backends = async () =>
          (
            await onServer(
              `select pid from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'staffing'`,
              url,
            )
          ).rowCount;
        const headers = {
          Host: `${caller.tenant.slug}.test`,
          Authorization: `Bearer ${caller.token}`,
          'X-Forwarded-Proto': 'https',
        };
        for (const path of [
          '/clients',
          `/clients/${id}`,
          '/clients?embed=contacts&limit=5',
          '/clients.xml?count=true',
        ]) {
          const target = { host: '127.0.0.1', port: own.port, path: `/api/v1${path}`, headers };
          const asked = request(target)
            .on('error', () => {})
            .end();
          await until('a backend waits', backends);
          asked.destroy();
          await until('no backend waits', async () => (await backends()) === 0);
        }
        await locker.query('rollback');
        assert.equal((await caller.call('GET', `/clients/${id}`)).status, 200);
        assert.deepEqual(
          own.logs.filter(line => JSON.parse(line).level >= 40),
          [],
        );
      });
    });
});
