import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Scene } from '../../support/scene.ts';
import { forEachFileStore, png } from './scene.ts';

forEachFileStore((files, { client }) => {
  it('a deletion is rejected while a contract or a signature refers to the file', async () => {
    const scene = new Scene(client);
    const file = await files.store(png);
    const contract = await scene.create('assignment-contract', { file: file.path });
    const proposal = await scene.create('work-time-proposals', { signature_file_id: file.id });
    const release: [path: string, body: object][] = [
      [`/assignment-contract/${contract}`, { file: null }],
      [`/work-time-proposals/${proposal}`, { signature_file_id: null }],
    ];
    for (const [path, body] of release) {
      const refused = await client.call('DELETE', `/files/${file.id}`);
      assert.deepEqual([refused.status, refused.body.code], [409, 'still_referenced']);
      assert.deepEqual((await files.content(file.id)).bytes, png);
      assert.equal((await client.call('PUT', path, { body })).status, 200);
    }
    assert.equal((await client.call('DELETE', `/files/${file.id}`)).status, 204);
  });

  it('a deletion with If-Match requires the current entity tag', async () => {
    const { id } = await files.store(png);
    const { headers } = await client.call('GET', `/files/${id}`);
    const remove = (tag: string) => client.call('DELETE', `/files/${id}`, { headers: { 'If-Match': tag } });
    const refused = await remove('"0000"');
    assert.deepEqual([refused.status, refused.body.code], [412, 'precondition_failed']);
    assert.deepEqual((await files.content(id)).bytes, png);
    assert.equal((await remove(String(headers.etag))).status, 204);
  });

  it('a deletion removes the record and then the content', async () => {
    const { id } = await files.store(png);
    const before = await files.everything();
    assert.equal((await client.call('DELETE', `/files/${id}`)).status, 204);
    assert.equal((await client.call('GET', `/files/${id}`)).status, 404);
    const { rows, contents: kept } = await files.everything();
    assert.deepEqual([rows, kept], [before.rows - 1, before.contents - 1]);
  });
});
