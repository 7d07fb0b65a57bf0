import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { sweep } from '../../src/resources/files/sweep.ts';
import { Exports } from '../domain/payroll/scene.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { startS3 } from './s3-server.ts';

describe('files in an object storage', () => {
  let s3: Awaited<ReturnType<typeof startS3>>;
  let app: App;
  let client: Client;

  before(async () => {
    s3 = await startS3();
    app = await startApp(await anyDatabase(), { files: { s3: s3.options } });
    client = await app.newClient();
  });
  after(async () => {
    await app.close();
    s3.close();
  });

  const upload = (text: string) => client.call('POST', '/files', { body: Buffer.from(text) });

  it('are stored as objects under the tenant and the path, and read completely or in part', async () => {
    const { body } = await upload('0123456789');
    assert.deepEqual(s3.objects.get(`/bucket/test/${client.tenant.id}/${body.path}`)?.bytes.toString(), '0123456789');
    assert.deepEqual(readdirSync(app.files.temporary), []);
    const content = (headers = {}) => client.call('GET', `/files/${body.id}/content`, { headers });
    assert.equal((await content()).text, '0123456789');
    const part = await content({ Range: 'bytes=2-4' });
    assert.deepEqual([part.status, part.text], [206, '234']);
    assert.equal((await client.call('DELETE', `/files/${body.id}`)).status, 204);
    assert.equal(s3.objects.size, 0);
  });

  it('are 503 while the storage fails or does not respond, and no record or object is left', {
    timeout: 60_000,
  }, async () => {
    const { body: there } = await upload('there');
    for (const mode of ['failing', 'silent'] as const) {
      s3.turn(mode);
      const requests = [upload('lost'), client.call('GET', `/files/${there.id}/content`)];
      for (const response of await Promise.all(requests))
        assert.deepEqual([response.status, response.body.code], [503, 'service_unavailable'], mode);
    }
    s3.turn('working');
    assert.equal((await client.call('DELETE', `/files/${there.id}`)).status, 204);
    assert.deepEqual((await client.call('GET', '/files')).body, []);
    assert.equal(s3.objects.size, 0);
    assert.deepEqual(readdirSync(app.files.temporary), []);
  });

  it('are cut off if the storage sends another number of bytes, such as all of them for a part', async () => {
    const { body } = await upload('0123456789');
    const key = `/bucket/test/${client.tenant.id}/${body.path}`;
    const content = (headers = {}) => client.call('GET', `/files/${body.id}/content`, { headers });
    s3.turn('whole');
    assert.equal((await content()).text, '0123456789');
    await assert.rejects(content({ Range: 'bytes=2-4' }), { code: 'ECONNRESET' });
    s3.turn('working');
    s3.objects.set(key, { bytes: Buffer.from('<html>'), modified: new Date() });
    await assert.rejects(content(), { code: 'ECONNRESET' });
    await client.call('DELETE', `/files/${body.id}`);
  });

  it('are 404 if the object is missing', async () => {
    const { body } = await upload('lost');
    s3.objects.clear();
    assert.equal((await client.call('GET', `/files/${body.id}/content`)).status, 404);
    await client.call('DELETE', `/files/${body.id}`);
  });

  it('that the storage does not delete change no response, neither of uploads and deletions nor of exports', async () => {
    const other = await app.newClient();
    const payroll = new Exports(other);
    const { run } = await payroll.exportable();
    const cells = [{ value: 'employee_external_id' }];
    const format = (await payroll.format({ cells })).body.id;
    const send = (path: string, headers = {}) => other.call('POST', path, { body: Buffer.from('same'), headers });
    const once = () => send('/files', { 'Idempotency-Key': 'once' });
    const first = await once();
    s3.turn('keeping');
    const responses = [
      await once(),
      await send('/files?dry_run=true'),
      await send('/files', { 'X-File-Visibility': 'none' }),
      await payroll.export(run, format, '?dry_run=true'),
      await other.call('DELETE', `/files/${first.body.id}`),
    ];
    s3.turn('working');
    s3.objects.clear();
    const statuses = responses.map(({ status }) => status);
    assert.deepEqual(statuses, [201, 201, 422, 201, 204]);
    assert.deepEqual(responses[0]?.body, first.body);
  });

  it('are swept page by page', async () => {
    const { body } = await upload('kept');
    const old = { bytes: Buffer.from('old'), modified: new Date(Date.now() - 25 * 3_600_000) };
    for (const name of ['a', 'b', 'c']) s3.objects.set(`/bucket/test/${client.tenant.id}/${name}`, old);
    s3.objects.set(`/bucket/test/${client.tenant.id}/new`, { ...old, modified: new Date() });
    assert.equal((await sweep(app.files, app.database)).contents, 3);
    const keys = [...s3.objects.keys()].map(key => key.split('/').at(-1)).sort();
    assert.deepEqual(keys, [body.path, 'new'].sort());
  });
});
