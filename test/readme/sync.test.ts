import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/db/open.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { ownDatabase } from '../support/database.ts';
import { blocksOf, chapterOf } from './server.ts';

const [program = ''] = blocksOf(chapterOf('README.md', 'Keeping another system in sync'), 'js');

describe("the README's program that keeps another system in sync", () => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-'));
  const file = join(folder, 'copy.json');
  let database: Database;
  let app: App;
  let client: Client;
  let proxy: Server;
  let child: ChildProcess;
  /** The paths that the program has requested since its start. */
  let requested: string[] = [];

  const start = () => {
    requested = [];
    const { port } = proxy.address() as AddressInfo;
    const env = { ...process.env, API: `http://127.0.0.1:${port}/api/v1`, TOKEN: client.token, COPY: file };
    child = spawn(process.execPath, [join(folder, 'sync.mjs')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const stop = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };

  /** Waits until the copy equals the listings, while the program runs. */
  const inSync = async (): Promise<void> => {
    for (;;) {
      assert.equal(child.exitCode, null, 'the program runs');
      const [clients, projects] = await Promise.all(
        ['clients', 'projects'].map(async name => (await client.call('GET', `/${name}`)).body),
      );
      const copy = await Promise.resolve()
        .then(() => JSON.parse(readFileSync(file, 'utf8')))
        .catch(() => null);
      const listed = JSON.stringify([clients, projects]);
      if (
        copy &&
        JSON.stringify([Object.values(copy.records.clients), Object.values(copy.records.projects)]) === listed
      )
        return;
      await pause(20);
    }
  };
  const post = async (path: string, body: object): Promise<number> => {
    const response = await client.call('POST', path, { body });
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  };

  before(async () => {
    writeFileSync(join(folder, 'sync.mjs'), program);
    database = await ownDatabase();
    app = await startApp(database);
    client = await app.newClient();
    // Tenants have host names, which this machine can't resolve.
    proxy = createServer((incoming, outgoing) => {
      requested.push(incoming.url ?? '');
      const headers = { ...incoming.headers, host: `${client.tenant.slug}.test`, 'x-forwarded-proto': 'https' };
      request({ host: '127.0.0.1', port: app.port, path: incoming.url, headers }, response => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      })
        .on('error', () => outgoing.destroy())
        .end();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  after(async () => {
    child?.kill('SIGKILL');
    proxy?.closeAllConnections();
    proxy?.close();
    await app?.close();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loads, follows, goes on after a restart, and starts again when its cursor has expired', async () => {
    const client_id = await post('/clients', { company: 'Before' });
    const project = await post('/projects', { name: 'Project', client_id });
    start();
    await inSync();

    const gone = await post('/projects', { name: 'Short' });
    await client.call('PUT', `/clients/${client_id}`, { body: { company: 'After' } });
    await post('/events', {
      project_id: project,
      name: 'E',
      start: '2027-01-01T08:00:00Z',
      end: '2027-01-01T09:00:00Z',
    });
    await client.call('DELETE', `/projects/${gone}`);
    await inSync();

    const { body: forms } = await client.call('GET', '/forms?entity=clients');
    const attribute = await post('/attributes', { entity_id: forms[0].id, name: 'Number', type: 'text' });
    await inSync();
    await client.call('PUT', `/clients/${client_id}`, { body: { [`dynamic_field_${attribute}`]: 'K-1' } });
    await inSync();
    await client.call('DELETE', `/attributes/${attribute}`);
    await inSync();

    await stop();
    await post('/clients', { company: 'While it was down' });
    start();
    await inSync();
    assert.deepEqual(
      requested.filter(path => path.endsWith('/clients')),
      [],
      'no listing is read again',
    );

    await stop();
    await client.database.asOwner(client.tenant.id, ({ send }) =>
      send({
        name: null,
        text: 'update journal_heads set epoch = gen_random_uuid() where tenant_id = $1',
        values: [String(client.tenant.id)],
      }),
    );
    await post('/clients', { company: 'Lost' });
    start();
    await inSync();
    assert.ok(requested.some(path => path.endsWith('after=now')));
  });
});
