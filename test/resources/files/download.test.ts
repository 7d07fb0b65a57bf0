import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import type { Client } from '../../support/app.ts';
import { forEachFileStore, plain, png } from './scene.ts';

forEachFileStore((files, { client, app }) => {
  let other: Client;

  before(async () => {
    other = await app.newClient();
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
        const { id, mime } = await files.store(Buffer.from('<svg onload="alert(1)"><script>alert(1)</script>'), {
          'Content-Type': type,
        });
        assert.equal(mime, type);
        const { headers } = await files.content(id);
        assert.equal(headers['content-type'], 'application/octet-stream');
        assert.match(String(headers['content-disposition']), /^attachment/);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
      }
    });

    it('returns a single range of the uncompressed content', async () => {
      const bytes = Buffer.from('0123456789');
      const { id } = await files.store(bytes);
      const { etag } = (await files.content(id, plain)).headers;
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
        const response = await files.content(id, { Range: range });
        assert.equal(response.status, status, range);
        assert.equal(response.headers['content-range'], place, range);
        if (status === 206) assert.equal(response.headers['content-encoding'], undefined);
        if (status === 206) assert.equal(response.headers.etag, etag);
        if (status === 416) assert.equal(response.body.code, 'range_not_satisfiable');
        else assert.equal(response.text, part, range);
      }
      assert.equal((await files.content(id, { Range: 'bytes=0-1', 'If-Range': String(etag) })).status, 206);
      assert.equal((await files.content(id, { Range: 'bytes=0-1', 'If-Range': '"other"' })).status, 200);
    });

    it('has the same headers for HEAD, and is 304 if nothing has changed', async () => {
      const { id } = await files.store(png);
      const whole = await files.content(id, plain);
      const head = await files.content(id, plain, 'HEAD');
      assert.equal(head.status, 200);
      for (const name of ['content-length', 'content-type', 'etag', 'content-disposition', 'accept-ranges'])
        assert.equal(head.headers[name], whole.headers[name], name);
      assert.equal(head.headers['content-length'], String(png.length));
      const unchanged = await files.content(id, { 'If-None-Match': String(whole.headers.etag) });
      assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
    });

    it('is 404 if the content is missing', async () => {
      const { id, path } = await files.store(png);
      await app.files.remove(client.tenant.id, path);
      assert.equal((await files.content(id)).status, 404);
    });

    it('has an end that its client knows, and leaves the connection open', async () => {
      const { id } = await files.store(png);
      const [zipped, whole] = [await files.content(id), await files.content(id, plain)];
      assert.deepEqual(
        [zipped.headers['transfer-encoding'], zipped.headers.connection, whole.headers['content-length']],
        ['chunked', 'keep-alive', String(png.length)],
      );
    });

    it('never seems complete if the storage has another number of bytes', async () => {
      const { id, path } = await files.store(Buffer.from('0123456789'));
      const cutOff = () => app.logs.filter(line => line.includes('A response was cut off.')).length;
      for (const content of ['', '012345678', '01234567890']) {
        await app.files.receive(client.tenant.id, Readable.from([Buffer.from(content)]), null, path);
        for (const [index, headers] of [{}, plain, { Range: 'bytes=8-9' }].entries()) {
          // The storage has the bytes of this range.
          if (content.length > 10 && index === 2) continue;
          const before = cutOff();
          await assert.rejects(files.content(id, headers), { code: 'ECONNRESET' }, `${content} ${index}`);
          assert.equal(cutOff(), before + 1);
        }
      }
      await app.files.receive(client.tenant.id, Readable.from([Buffer.from('9876543210')]), null, path);
      assert.equal((await files.content(id)).text, '9876543210');
    });

    it('needs a token of the tenant, unless the file is public and its path known', async () => {
      const nobody = { Authorization: '' };
      const [secret, open] = [await files.store(png), await files.store(png, { 'X-File-Visibility': 'public' })];
      for (const { id } of [secret, open]) {
        assert.equal((await files.content(id, nobody)).status, 401);
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
    const { id, name } = await files.store(png, { 'X-File-Name': `UTF-8''na%C3%AFve%20%E2%82%AC.png` });
    assert.equal(name, 'naïve €.png');
    const disposition = String((await files.content(id)).headers['content-disposition']);
    assert.match(disposition, /^attachment; filename="na.ve .\.png"; filename\*=UTF-8''na%C3%AFve%20%E2%82%AC\.png$/);
  });
});
