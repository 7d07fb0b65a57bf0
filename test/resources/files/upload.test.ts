import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '../../support/until.ts';
import { forEachFileStore, limit, plain, png } from './scene.ts';

forEachFileStore((files, { client, app }) => {
  describe('an upload', () => {
    it('is stored unchanged, with its type detected from the content and a generated name', async () => {
      const response = await files.upload(png);
      assert.equal(response.status, 201, response.text);
      const { id, path, name, mime, status, visibility, size } = response.body;
      assert.equal(response.headers.location, `/api/v1/files/${id}`);
      assert.match(path, /^[0-9a-f]{32}$/);
      assert.match(name, /^file-.+\.png$/);
      assert.deepEqual([mime, status, visibility, size], ['image/png', 1, 'private', png.length]);
      const download = await files.content(id);
      assert.equal(download.status, 200);
      assert.equal(download.headers['content-encoding'], 'gzip');
      assert.deepEqual(download.bytes, png);
      assert.equal(download.headers['content-type'], 'image/png');
      assert.deepEqual((await client.call('GET', `/files/${id}`)).body, response.body);
    });

    it('takes type, name and visibility from its headers', async () => {
      const headers = {
        'Content-Type': 'Text/CSV; charset=utf-8',
        'X-File-Name': 'list.csv',
        'X-File-Visibility': 'public',
      };
      const { mime, name, visibility } = await files.store(Buffer.from('a;b'), headers);
      assert.deepEqual([mime, name, visibility], ['text/csv', 'list.csv', 'public']);
    });

    it('without a type has that of its content, else of its name’s extension, else of text', async () => {
      const cases: readonly (readonly [content: Buffer | string, name: string, mime: string])[] = [
        [png, 'list.csv', 'image/png'],
        ['a;b', 'list.CSV', 'text/csv'],
        ['{}', 'data.json', 'application/json'],
        ['<p>Hi</p>', 'page.html', 'text/html'],
        ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'logo.svg', 'image/svg+xml'],
        [Buffer.from([1, 2]), 'list.csv', 'text/csv'],
        ['Grüße\r\n\t\f\ufeff', 'letter', 'text/plain'],
        ['a;b', 'csv', 'text/plain'],
        ['a;b', 'list.unknown1', 'text/plain'],
        ['a;b', '', 'text/plain'],
        ['\u0000', 'letter', 'application/octet-stream'],
        ['\u0085', 'letter', 'application/octet-stream'],
        [Buffer.from([0x61, 0xff]), 'letter', 'application/octet-stream'],
        [Buffer.from([0x61, 0xc3]), 'letter', 'application/octet-stream'],
      ];
      for (const [content, name, expected] of cases) {
        const { id, mime } = await files.store(Buffer.from(content), name === '' ? {} : { 'X-File-Name': name });
        assert.equal(mime, expected, `${name}: ${content}`);
        const isRun = mime === 'text/html' || mime === 'image/svg+xml';
        const { headers } = await files.content(id);
        assert.equal(headers['content-type'], isRun ? 'application/octet-stream' : mime);
      }
    });

    it('without content is an empty text, unless its name’s extension says another type', async () => {
      assert.equal((await files.store(Buffer.alloc(0), { 'X-File-Name': 'list.csv' })).mime, 'text/csv');
      const { id, mime, size } = await files.store(Buffer.alloc(0));
      assert.deepEqual([mime, size], ['text/plain', 0]);
      assert.equal((await files.content(id, plain)).bytes.length, 0);
    });

    it('may be compressed with gzip, and its uncompressed size counts', async () => {
      const gzip = { 'Content-Encoding': 'gzip' };
      const { id, size } = await files.store(gzipSync(png), gzip);
      assert.equal(size, png.length);
      assert.deepEqual((await files.content(id)).bytes, png);
      const before = await files.everything();
      assert.equal((await files.upload(gzipSync(Buffer.alloc(limit + 1)), gzip)).status, 413);
      assert.equal((await files.upload(Buffer.from('no gzip'), gzip)).status, 400);
      assert.equal((await files.upload(png, { 'Content-Encoding': 'br' })).status, 415);
      assert.deepEqual(await files.everything(), before);
    });

    it('may be as large as the limit, and not a byte larger, announced or not', async () => {
      await files.store(Buffer.alloc(limit));
      const before = await files.everything();
      for (const body of [Buffer.alloc(limit + 1), Readable.from([Buffer.alloc(limit), Buffer.alloc(1)])]) {
        const response = await files.upload(body);
        assert.deepEqual([response.status, response.body.code], [413, 'payload_too_large']);
      }
      assert.deepEqual(await files.everything(), before);
    });

    it('leaves nothing behind if its client disconnects', async () => {
      const before = await files.everything();
      await new Promise<void>(resolve => {
        const headers = { Host: `${client.tenant.slug}.test`, Authorization: `Bearer ${client.token}` };
        const target = { host: '127.0.0.1', port: app.port, path: '/api/v1/files', method: 'POST' };
        const sent = request({
          ...target,
          headers: { 'X-Forwarded-Proto': 'https', 'Content-Length': 500_000, ...headers },
        });
        sent.on('error', () => resolve());
        sent.write(Buffer.alloc(100_000), async () => {
          await until('the upload has begun', () => files.temporary().length);
          sent.destroy();
        });
      });
      await until('the upload is removed', () => files.temporary().length === 0);
      assert.deepEqual(await files.everything(), before);
    });

    it('with an unknown visibility or an invalid type is rejected and leaves nothing', async () => {
      const before = await files.everything();
      for (const visibility of ['Public', '', 'shared', 'private, public']) {
        const response = await files.upload(png, { 'X-File-Visibility': visibility });
        assert.deepEqual([response.status, response.body.code], [422, 'validation_failed'], visibility);
      }
      assert.equal((await files.upload(png, { 'Content-Type': 'nonsense' })).status, 415);
      assert.equal((await client.call('POST', '/files?x=1', { body: png })).status, 400);
      assert.deepEqual(await files.everything(), before);
    });

    it('is 503 while the disk is full, leaves nothing, and works again as soon as there is room', async t => {
      const handle = await open(import.meta.filename);
      const prototype = Object.getPrototypeOf(handle);
      await handle.close();
      const before = await files.everything();
      const full = async () => {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      };
      for (const [target, method] of [
        [prototype, 'write'],
        [prototype, 'sync'],
        [app.files.store, 'put'],
      ] as const) {
        const failing = t.mock.method(target, method, full);
        const response = await files.upload(Buffer.alloc(100_000));
        assert.deepEqual([response.status, response.body.code], [503, 'service_unavailable'], method);
        assert.ok(response.headers['retry-after'], method);
        assert.equal((await client.call('GET', '/files?limit=1')).status, 200);
        failing.mock.restore();
        assert.deepEqual(await files.everything(), before, method);
      }
      await files.store(png);
    });

    it('with an Idempotency-Key is stored once', async () => {
      const headers = { 'Idempotency-Key': 'upload-1' };
      const first = await files.store(png, headers);
      const before = await files.everything();
      assert.deepEqual(await files.store(png, headers), first);
      assert.equal((await files.upload(Buffer.from('other'), headers)).status, 409);
      assert.deepEqual(await files.everything(), before);
    });
  });
});
