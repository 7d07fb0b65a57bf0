import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Client } from '../support/app.ts';
import { forEachDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { Scene } from '../support/scene.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const limit = 1_048_576;
const plain = { 'Accept-Encoding': 'identity' };

forEachDatabase((_, getDatabase) => {
  const { client, app } = useApp(getDatabase, { files: { limit } });
  let other: Client;

  before(async () => {
    other = await app.newClient();
  });

  const upload = async (body: Buffer | Readable, headers: Record<string, string> = {}) =>
    client.call('POST', '/files', { headers, body });
  const stored = async (body: Buffer, headers: Record<string, string> = {}) => {
    const answer = await upload(body, headers);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const content = (id: number, headers: Record<string, string> = {}, method = 'GET') =>
    client.call(method, `/files/${id}/content`, { headers });
  const left = () => (existsSync(app.files.temporary) ? readdirSync(app.files.temporary) : []);
  const contents = async () => {
    const keys: string[] = [];
    for await (const { key } of app.files.store.list(client.tenant.id)) keys.push(key);
    return keys;
  };
  /** The stored files: a failed upload or deletion must not change them. */
  const everything = async () => ({
    temporary: left(),
    contents: (await contents()).length,
    rows: (await client.call('GET', '/files?fields=id')).body.length,
  });

  describe('an upload', () => {
    it('is stored unchanged, with its type detected from the content and a generated name', async () => {
      const answer = await upload(png);
      assert.equal(answer.status, 201, answer.text);
      const { id, path, name, mime, status, visibility, size } = answer.body;
      assert.equal(answer.headers.location, `/api/v1/files/${id}`);
      assert.match(path, /^[0-9a-f]{32}$/);
      assert.match(name, /^file-.+\.png$/);
      assert.deepEqual([mime, status, visibility, size], ['image/png', 1, 'private', png.length]);
      const download = await content(id);
      assert.equal(download.status, 200);
      assert.equal(download.headers['content-encoding'], 'gzip');
      assert.deepEqual(download.bytes, png);
      assert.equal(download.headers['content-type'], 'image/png');
      assert.deepEqual((await client.call('GET', `/files/${id}`)).body, answer.body);
    });

    it('takes type, name and visibility from its headers', async () => {
      const headers = {
        'Content-Type': 'Text/CSV; charset=utf-8',
        'X-File-Name': 'list.csv',
        'X-File-Visibility': 'public',
      };
      const { mime, name, visibility } = await stored(Buffer.from('a;b'), headers);
      assert.deepEqual([mime, name, visibility], ['text/csv', 'list.csv', 'public']);
    });

    it('without content is an empty file of unknown type', async () => {
      const { id, mime, size } = await stored(Buffer.alloc(0));
      assert.deepEqual([mime, size], ['application/octet-stream', 0]);
      assert.equal((await content(id, plain)).bytes.length, 0);
    });

    it('may be compressed with gzip, and its uncompressed size counts', async () => {
      const gzip = { 'Content-Encoding': 'gzip' };
      const { id, size } = await stored(gzipSync(png), gzip);
      assert.equal(size, png.length);
      assert.deepEqual((await content(id)).bytes, png);
      const before = await everything();
      assert.equal((await upload(gzipSync(Buffer.alloc(limit + 1)), gzip)).status, 413);
      assert.equal((await upload(Buffer.from('no gzip'), gzip)).status, 415);
      assert.equal((await upload(png, { 'Content-Encoding': 'br' })).status, 415);
      assert.deepEqual(await everything(), before);
    });

    it('may be as large as the limit, and not a byte larger, announced or not', async () => {
      await stored(Buffer.alloc(limit));
      const before = await everything();
      for (const body of [Buffer.alloc(limit + 1), Readable.from([Buffer.alloc(limit), Buffer.alloc(1)])]) {
        const answer = await upload(body);
        assert.deepEqual([answer.status, answer.body.code], [413, 'payload_too_large']);
      }
      assert.deepEqual(await everything(), before);
    });

    it('leaves nothing behind if its client disconnects', async () => {
      const before = await everything();
      await new Promise<void>(resolve => {
        const headers = { Host: `${client.tenant.slug}.test`, Authorization: `Bearer ${client.token}` };
        const target = { host: '127.0.0.1', port: app.port, path: '/api/v1/files', method: 'POST' };
        const sent = request({
          ...target,
          headers: { 'X-Forwarded-Proto': 'https', 'Content-Length': 500_000, ...headers },
        });
        sent.on('error', () => resolve());
        sent.write(Buffer.alloc(100_000), async () => {
          while (left().length === 0) await new Promise(setImmediate);
          sent.destroy();
        });
      });
      while (left().length > 0) await new Promise(setImmediate);
      assert.deepEqual(await everything(), before);
    });

    it('with an unknown visibility or an invalid type is rejected and leaves nothing', async () => {
      const before = await everything();
      for (const visibility of ['Public', '', 'shared', 'private, public']) {
        const answer = await upload(png, { 'X-File-Visibility': visibility });
        assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], visibility);
      }
      assert.equal((await upload(png, { 'Content-Type': 'nonsense' })).status, 415);
      assert.equal((await client.call('POST', '/files?x=1', { body: png })).status, 400);
      assert.deepEqual(await everything(), before);
    });

    it('is 503 while the disk is full, leaves nothing, and works again as soon as there is room', async t => {
      const handle = await open(import.meta.filename);
      const prototype = Object.getPrototypeOf(handle);
      await handle.close();
      const before = await everything();
      const full = async () => {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      };
      for (const [target, method] of [
        [prototype, 'write'],
        [prototype, 'sync'],
        [app.files.store, 'put'],
      ] as const) {
        const failing = t.mock.method(target, method, full);
        const answer = await upload(Buffer.alloc(100_000));
        assert.deepEqual([answer.status, answer.body.code], [503, 'service_unavailable'], method);
        assert.ok(answer.headers['retry-after'], method);
        assert.equal((await client.call('GET', '/files?limit=1')).status, 200);
        failing.mock.restore();
        assert.deepEqual(await everything(), before, method);
      }
      await stored(png);
    });

    it('with an Idempotency-Key is stored once', async () => {
      const headers = { 'Idempotency-Key': 'upload-1' };
      const first = await stored(png, headers);
      const before = await everything();
      assert.deepEqual(await stored(png, headers), first);
      assert.equal((await upload(Buffer.from('other'), headers)).status, 409);
      assert.deepEqual(await everything(), before);
    });
  });

  describe('a download', () => {
    it('is never sent with a type that browsers execute, whatever type its client claimed', async () => {
      const hostile = [
        'text/html',
        'image/svg+xml',
        'application/xhtml+xml',
        'text/xml',
        'text/javascript',
        'application/x-www-form-urlencoded',
      ];
      for (const type of hostile) {
        const { id, mime } = await stored(Buffer.from('<svg onload="alert(1)"><script>alert(1)</script>'), {
          'Content-Type': type,
        });
        assert.equal(mime, type);
        const { headers } = await content(id);
        assert.equal(headers['content-type'], 'application/octet-stream');
        assert.match(String(headers['content-disposition']), /^attachment/);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
      }
    });

    it('returns a single range of the uncompressed content', async () => {
      const bytes = Buffer.from('0123456789');
      const { id } = await stored(bytes);
      const { etag } = (await content(id, plain)).headers;
      const cases: [range: string, status: number, part: string, place?: string][] = [
        ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
        ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
        ['bytes=-2', 206, '89', 'bytes 8-9/10'],
        ['bytes=8-99999999999999999999', 206, '89', 'bytes 8-9/10'],
        ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
        ['bytes=10-', 416, '', 'bytes */10'],
        ['bytes=-0', 416, '', 'bytes */10'],
        ['bytes=5-2', 200, '0123456789'],
        ['bytes=-', 200, '0123456789'],
        ['bytes=0-1,4-5', 200, '0123456789'],
        ['lines=1-2', 200, '0123456789'],
      ];
      for (const [range, status, part, place] of cases) {
        const answer = await content(id, { Range: range });
        assert.equal(answer.status, status, range);
        assert.equal(answer.headers['content-range'], place, range);
        if (status === 206) assert.equal(answer.headers['content-encoding'], undefined);
        if (status === 206) assert.equal(answer.headers.etag, etag);
        if (status === 416) assert.equal(answer.body.code, 'range_not_satisfiable');
        else assert.equal(answer.text, part, range);
      }
      assert.equal((await content(id, { Range: 'bytes=0-1', 'If-Range': String(etag) })).status, 206);
      assert.equal((await content(id, { Range: 'bytes=0-1', 'If-Range': '"other"' })).status, 200);
    });

    it('has the same headers for HEAD, and is 304 if nothing has changed', async () => {
      const { id } = await stored(png);
      const whole = await content(id, plain);
      const head = await content(id, plain, 'HEAD');
      assert.equal(head.status, 200);
      for (const name of ['content-length', 'content-type', 'etag', 'content-disposition', 'accept-ranges'])
        assert.equal(head.headers[name], whole.headers[name], name);
      assert.equal(head.headers['content-length'], String(png.length));
      const unchanged = await content(id, { 'If-None-Match': String(whole.headers.etag) });
      assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
    });

    it('is 404 if the content is missing', async () => {
      const { id, path } = await stored(png);
      await app.files.remove(client.tenant.id, path);
      assert.equal((await content(id)).status, 404);
    });

    it('needs a token of the tenant, unless the file is public and its path known', async () => {
      const nobody = { Authorization: '' };
      const [secret, open] = [await stored(png), await stored(png, { 'X-File-Visibility': 'public' })];
      for (const { id } of [secret, open]) {
        assert.equal((await content(id, nobody)).status, 401);
        for (const path of [`/files/${id}`, `/files/${id}/content`])
          assert.equal((await other.call('GET', path)).status, 404);
        assert.equal((await other.call('DELETE', `/files/${id}`)).status, 404);
      }
      const at = (path: string, from = client, method = 'GET') =>
        from.call(method, `/files/public/${path}`, { headers: nobody });
      const download = await at(open.path);
      assert.equal(download.status, 200);
      assert.deepEqual(download.bytes, png);
      assert.match(String(download.headers['content-disposition']), /^attachment/);
      assert.equal((await at(secret.path)).status, 404);
      assert.equal((await at(open.path, other)).status, 404);
      assert.equal((await at('0'.repeat(32))).status, 404);
      assert.equal((await at(open.path, client, 'POST')).status, 401);
      assert.equal((await at(`${open.path}?x=1`)).status, 400);
    });
  });

  it('a name is returned as it was sent, also in the form of RFC 8187', async () => {
    const { id, name } = await stored(png, { 'X-File-Name': `UTF-8''na%C3%AFve%20%E2%82%AC.png` });
    assert.equal(name, 'naïve €.png');
    const disposition = String((await content(id)).headers['content-disposition']);
    assert.match(disposition, /^attachment; filename="na.ve .\.png"; filename\*=UTF-8''na%C3%AFve%20%E2%82%AC\.png$/);
  });

  it('a deletion is rejected while a contract or a signature refers to the file', async () => {
    const scene = new Scene(client);
    const file = await stored(png);
    const contract = await scene.create('assignment-contract', { file: file.path });
    const proposal = await scene.create('work-time-proposals', { signature_file_id: file.id });
    const release: [path: string, body: object][] = [
      [`/assignment-contract/${contract}`, { file: null }],
      [`/work-time-proposals/${proposal}`, { signature_file_id: null }],
    ];
    for (const [path, body] of release) {
      const refused = await client.call('DELETE', `/files/${file.id}`);
      assert.deepEqual([refused.status, refused.body.code], [409, 'still_referenced']);
      assert.deepEqual((await content(file.id)).bytes, png);
      assert.equal((await client.call('PUT', path, { body })).status, 200);
    }
    assert.equal((await client.call('DELETE', `/files/${file.id}`)).status, 204);
  });

  it('a deletion with If-Match requires the current entity tag', async () => {
    const { id } = await stored(png);
    const { headers } = await client.call('GET', `/files/${id}`);
    const remove = (tag: string) => client.call('DELETE', `/files/${id}`, { headers: { 'If-Match': tag } });
    const refused = await remove('"0000"');
    assert.deepEqual([refused.status, refused.body.code], [412, 'precondition_failed']);
    assert.deepEqual((await content(id)).bytes, png);
    assert.equal((await remove(String(headers.etag))).status, 204);
  });

  it('a deletion removes the record and then the content', async () => {
    const { id } = await stored(png);
    const before = await everything();
    assert.equal((await client.call('DELETE', `/files/${id}`)).status, 204);
    assert.equal((await client.call('GET', `/files/${id}`)).status, 404);
    const { rows, contents: kept } = await everything();
    assert.deepEqual([rows, kept], [before.rows - 1, before.contents - 1]);
  });
});
