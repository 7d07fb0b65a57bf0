import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

forAnyApp((client, app) => {
  const scene = new Scene(client);

  const contractOf = async (file: string | null) => scene.create('assignment-contract', { file });

  it("returns the file of a contract, complete, a range or unchanged, and never another tenant's", async () => {
    const { body: file } = await client.call('POST', '/files', { body: Buffer.from('signed') });
    const id = await contractOf(file.path);
    const path = `/assignment-contract/${id}/file`;
    const whole = await client.call('GET', path);
    assert.match(String(whole.headers.deprecation), /^@\d+$/);
    assert.equal(whole.headers.link, `</api/v1/assignment-contract/${id}>; rel="successor-version"`);
    assert.deepEqual([whole.status, whole.text], [200, 'signed'], whole.text);
    assert.match(String(whole.headers['content-disposition']), /^attachment/);
    const part = await client.call('GET', path, { headers: { Range: 'bytes=0-2', 'Accept-Encoding': 'identity' } });
    assert.deepEqual([part.status, part.text], [206, 'sig']);
    const unchanged = await client.call('GET', path, { headers: { 'If-None-Match': String(whole.headers.etag) } });
    assert.deepEqual([unchanged.status, unchanged.headers['accept-ranges']], [304, 'bytes']);
    const foreign = await (await app.newClient()).call('POST', '/files', { body: Buffer.from('foreign') });
    const body = { assignment_id: await scene.idOf('assignments'), file: foreign.body.path };
    const refused = await client.call('POST', '/assignment-contract', { body });
    assert.deepEqual([refused.status, refused.body.errors[0].code], [422, 'reference_not_found']);
  });

  it('is 404 for a contract without a file', async () => {
    const { status } = await client.call('GET', `/assignment-contract/${await contractOf(null)}/file`);
    assert.equal(status, 404);
  });
});
