import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { it } from 'node:test';
import { forEachDatabase } from '../../support/database.ts';
import { useApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const limit = 1_048_576;

forEachDatabase((_, getDatabase) => {
  const { client, app } = useApp(getDatabase, { files: { limit } });
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
