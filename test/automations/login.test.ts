import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openQueue } from '../../src/automations/runner.ts';
import { openDatabase } from '../../src/db/open.ts';
import { queues } from '../../src/db/queue.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import { startApp } from '../support/app.ts';
import { inMemory, onEachNode, scratchUrl } from '../support/database.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

test('automations are processed by a login that owns no table and is subject to row security', async () => {
  const migrationUrl = await scratchUrl();
  const user = `staffing_worker_${process.pid}`;
  await onEachNode(`create role ${user} login`);
  const url = new URL(migrationUrl);
  url.username = user;
  const database = openDatabase({ ...inMemory, url: url.href, migrationUrl });
  await database.migrate();
  const app = await startApp(database);
  const client = await app.newClient();
  const scene = new Staffing(client);
  const shift = await scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z');
  const id = await scene.assignment(await scene.employee(), shift);
  const automation = await automate(client, ['assignment.status_changed', {}]);
  await scene.setStatus(id, 6);

  const workshop = new Workshop(database, client.tenant);
  assert.equal(await workshop.run(), 1);
  assert.equal((await deliveriesOf(client, automation))[0]?.status, 2);
  assert.match(String(workshop.sent[0]?.secrets[0]), /^whsec_/);

  const queue = openQueue(database);
  const problems: unknown[] = [];
  queue.on('error', problem => problems.push(problem));
  await queue.start();
  await queue.schedule(queues.scan, '* * * * *');
  await queue.supervise();
  await queue.stop({ graceful: true, close: false });
  assert.deepEqual(problems, []);

  await app.close();
  await database.close();
  await onEachNode(`drop owned by ${user}`, new URL(migrationUrl).pathname);
  await onEachNode(`drop role ${user}`);
});
