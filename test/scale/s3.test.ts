import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startS3 } from '../files/s3-server.ts';
import type { Client } from '../support/app.ts';
import { ask, type Balanced, type Installation, openInstallation } from '../support/installation.ts';

describe('three instances that store files in an object storage, behind a proxy', () => {
  let s3: Awaited<ReturnType<typeof startS3>>;
  let installation: Installation;
  let balanced: Balanced;
  let client: Client;

  before(async () => {
    s3 = await startS3();
    const { bucket, region, endpoint, credentials } = s3.options;
    installation = await openInstallation({
      ...{ FILE_STORAGE: 's3', S3_BUCKET: bucket, S3_REGION: region, S3_ENDPOINT: endpoint, S3_PATH_STYLE: 'true' },
      ...{ S3_ACCESS_KEY_ID: credentials.accessKeyId, S3_SECRET_ACCESS_KEY: credentials.secretAccessKey },
    });
    balanced = await installation.startBalanced(3);
    client = await installation.app.newClient();
  });
  after(async () => {
    await installation.close();
    s3.close();
  });

  it('return on each what another has stored, and nothing of what another has deleted', async () => {
    for (const [place, { port }] of balanced.instances.entries()) {
      const content = `Stored by instance ${place}`;
      const stored = await ask(port, client, 'POST', '/files', Buffer.from(content));
      assert.equal(stored.status, 201, stored.text);
      const path = `/files/${stored.body.id}`;
      for (const { port } of balanced.instances)
        assert.equal((await ask(port, client, 'GET', `${path}/content`)).text, content);
      const other = balanced.instances[(place + 1) % 3]?.port as number;
      assert.equal((await ask(other, client, 'DELETE', path)).status, 204);
      for (const { port } of balanced.instances)
        assert.equal((await ask(port, client, 'GET', `${path}/content`)).status, 404);
    }
    assert.equal(s3.objects.size, 0);
  });

  it('import on one what another has accepted', async () => {
    const rows = Array.from({ length: 50 }, (_, row) => `C${row}\n`);
    const content = Buffer.from(`company\n${rows.join('')}`);
    const accepted = await ask(balanced.port, client, 'POST', '/clients/import', content, 'text/csv');
    assert.equal(accepted.status, 202, accepted.text);
    for (let status = ''; status !== 'done'; ) {
      ({ status } = (await ask(balanced.port, client, 'GET', `/imports/${accepted.body.id}`)).body);
      assert.notEqual(status, 'failed');
    }
    assert.equal((await ask(balanced.port, client, 'GET', '/clients?fields=id')).body.length, rows.length);
  });
});
