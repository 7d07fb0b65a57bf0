import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { isUncertain } from '../../src/db/errors.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { Exports } from '../domain/payroll/scene.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { inMemory, migratedUrl } from '../support/database.ts';
import { type Loss, loseCommits } from '../support/proxies/commits.ts';

const lost: [loss: Loss, label: string][] = [
  ['held', 'comes after its deadline'],
  ['cut', 'is lost with the connection'],
];

describe('a COMMIT whose response', () => {
  let proxy: Awaited<ReturnType<typeof loseCommits>>;
  let database: Database;
  let app: App;
  let client: Client;

  before(async () => {
    proxy = await loseCommits(await migratedUrl());
    database = openDatabase({ ...inMemory, url: proxy.url, statementTimeoutMs: 2000 });
    // Time stands still: who calls stays known, however long the machine takes.
    const now = Date.now();
    app = await startApp(database, { clock: () => now });
    client = await app.newClient();
  });
  beforeEach(() => {
    proxy.state.lost = 0;
  });
  after(async () => {
    proxy.state.loss = null;
    await app.close();
    await database.close();
    await proxy.close();
  });

  /** Does work while the responses to COMMIT do not arrive. */
  const losing = async <T>(loss: Loss, work: () => Promise<T>): Promise<T> => {
    proxy.state.loss = loss;
    return work().finally(() => {
      proxy.state.loss = null;
    });
  };

  for (const [loss, label] of lost) {
    it(`${label} has an uncertain outcome`, async () => {
      const db = database.forTenant(client.tenant);
      const work = () => db.transaction(({ kysely }) => kysely.selectFrom('files').select('id').execute());
      await assert.rejects(losing(loss, work), isUncertain);
      assert.equal(proxy.state.lost, 1);
      await work();
    });

    it(`${label} has an uncertain outcome, even if it is sent with all that the transaction does`, async () => {
      const db = database.forTenant(client.tenant);
      const work = () =>
        db.transaction(transaction => transaction.finish({ name: null, text: 'select 1', values: [] }));
      await assert.rejects(losing(loss, work), isUncertain);
      assert.equal(proxy.state.lost, 1);
      await work();
    });

    it(`${label} leaves an upload its content: the repeat finds both`, async () => {
      const body = Buffer.from(`content ${loss}`);
      const upload = () => client.call('POST', '/files', { body, headers: { 'Idempotency-Key': loss } });
      // Who calls is known then: the COMMIT that is lost is that of the upload.
      await client.call('GET', '/me');
      const first = await losing(loss, upload);
      assert.deepEqual([first.status, first.body.code, proxy.state.lost], [503, 'service_unavailable', 1]);
      const second = await upload();
      assert.deepEqual([second.status, second.headers['idempotency-replayed']], [201, 'true'], second.text);
      const content = await client.call('GET', `/files/${second.body.id}/content`);
      assert.deepEqual([content.status, content.bytes], [200, body]);
    });

    it(`${label} leaves an export its file`, async () => {
      const payroll = new Exports(client);
      const { run } = await payroll.exportable();
      const format = (await payroll.format({ cells: [{ value: 'amount' }] })).body.id;
      await client.call('GET', '/me');
      const response = await losing(loss, () => payroll.export(run, format));
      assert.deepEqual([response.status, proxy.state.lost], [503, 1], response.text);
      const [made] = await payroll.list(`/payroll-exports?pay_run_id=${run}`);
      const bytes = await payroll.content(made.file_id);
      assert.equal(made.sha256, createHash('sha256').update(bytes).digest('hex'));
    });
  }
});
