import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Client } from '../support/app.ts';
import {
  ask,
  endInstance,
  type Installation,
  type Instance,
  openInstallation,
  type Reply,
} from '../support/installation.ts';

const limit = 30;

describe('a server with two workers', () => {
  let installation: Installation;
  let clients: Client[];

  before(async () => {
    const settings = { WORKERS: '2', RATE_LIMIT: String(limit), RATE_LIMIT_PERIOD: '86400' };
    installation = await openInstallation(settings);
    clients = [];
    for (let left = 6; left > 0; left--) clients.push(await installation.app.newClient());
  });
  after(() => installation.close());

  const start = (overrides?: Record<string, string>): Promise<Instance> => installation.start(overrides);

  const childrenOf = (pid: number): readonly number[] =>
    readdirSync('/proc').flatMap(name => {
      if (!/^\d+$/.test(name)) return [];
      try {
        return / \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8').split(')')[1] ?? '')?.[1] === String(pid)
          ? [Number(name)]
          : [];
      } catch {
        // It has ended.
        return [];
      }
    });

  /** The workers by which requests have been logged. */
  const servedBy = (server: Instance): ReadonlySet<number> =>
    new Set(server.log().flatMap(({ pid, worker }) => (worker === undefined ? [] : [pid])));

  test('shares its connections among them, counts the requests of a user together, and reports their metrics as one', async () => {
    const server = await start();
    const [client] = clients as [Client];
    const replies: Reply[] = [];
    for (let sent = 0; sent <= limit; sent++) replies.push(await ask(server.port, client));
    assert.deepEqual(
      replies.map(({ headers }) => headers['x-rate-limit-remaining']),
      [...Array.from({ length: limit }, (_, sent) => String(limit - sent - 1)), '0'],
    );
    assert.deepEqual(new Set(replies.slice(0, -1).map(({ status }) => status)), new Set([200]));
    assert.equal(replies.at(-1)?.status, 429);
    const metrics = await (await fetch(`http://127.0.0.1:${server.internalPort}/metrics`)).text();
    assert.match(metrics, new RegExp(`staffing_requests_total\\{operation="clients_list",status="200"\\} ${limit}\n`));
    assert.match(metrics, /staffing_info\{version="[^"]+",database="postgres"\} 1\n/);
    assert.equal(await endInstance(server), 0);
    assert.equal(servedBy(server).size, 2);
  });

  test('starts another in the place of one that ends, and serves meanwhile', async () => {
    const server = await start();
    const [, client] = clients as [Client, Client];
    await ask(server.port, client);
    await ask(server.port, client);
    const [first] = childrenOf(server.child.pid as number) as [number];
    process.kill(first, 'SIGKILL');
    const isReplaced = () =>
      server.log().filter(({ msg }) => msg === 'a worker has ended: another one is started').length;
    while (isReplaced() === 0) await fetch(`http://127.0.0.1:${server.internalPort}/livez`);
    assert.equal((await ask(server.port, client)).status, 200);
    // Until the new one has its turn.
    const others = () => childrenOf(server.child.pid as number).filter(pid => pid !== first);
    while (others().length < 2) await fetch(`http://127.0.0.1:${server.internalPort}/livez`);
    const metrics = async () => (await fetch(`http://127.0.0.1:${server.internalPort}/metrics`)).text();
    while (!/staffing_database_connections\{state="free"\} (29|30)/.test(await metrics()));
    for (let sent = 0; sent < 4; sent++) assert.equal((await ask(server.port, client)).status, 200);
    assert.equal(await endInstance(server), 0);
    const pids = servedBy(server);
    for (const pid of others()) assert.ok(pids.has(pid));
    assert.equal(pids.size, 3);
  });

  test('ends with 0 on SIGTERM once the requests in progress have their responses, and leaves no process', async () => {
    const server = await start();
    const [, , client] = clients as [Client, Client, Client];
    const workers = childrenOf(server.child.pid as number);
    const waiting = ask(server.port, client, 'GET', '/changes?after=now&wait=30');
    const metrics = async () => (await fetch(`http://127.0.0.1:${server.internalPort}/metrics`)).text();
    while (!/staffing_changes_waiting 1\n/.test(await metrics()));
    assert.equal(await endInstance(server), 0);
    const { status, headers } = await waiting;
    assert.deepEqual({ status, connection: headers.connection }, { status: 200, connection: 'close' });
    for (const pid of workers) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });

  test('keeps its workers when a terminal sends the signal to all of its processes', async () => {
    const server = await start();
    const [, , , client] = clients as [Client, Client, Client, Client];
    for (const pid of childrenOf(server.child.pid as number)) {
      process.kill(pid, 'SIGINT');
      process.kill(pid, 'SIGTERM');
    }
    for (let sent = 0; sent < 4; sent++) assert.equal((await ask(server.port, client)).status, 200);
    assert.equal(await endInstance(server), 0);
    assert.equal(servedBy(server).size, 2);
  });

  for (const workers of [1, 2])
    test(`changes its log level on SIGUSR2, and that of its workers, and goes on (${workers})`, async () => {
      const server = await start({ LOG_LEVEL: 'error', WORKERS: String(workers) });
      const client = clients[3 + workers] as Client;
      await ask(server.port, client);
      assert.deepEqual(server.log(), []);
      server.child.kill('SIGUSR2');
      const loggedBy = () => new Set(server.log().flatMap(({ pid, operation }) => (operation ? [pid] : [])));
      while (loggedBy().size < workers) assert.ok((await ask(server.port, client)).status < 500);
      assert.equal(await endInstance(server), 0);
    });

  test('ends its workers with it when it is killed', async () => {
    const server = await start();
    const workers = childrenOf(server.child.pid as number);
    assert.equal(workers.length, 2);
    const ended = once(server.child, 'close');
    server.child.kill('SIGKILL');
    // The workers hold the other end of its output.
    await ended;
  });

  test('ends on SIGTERM although the reader of its log stands still', async () => {
    const server = await start();
    server.child.stderr?.pause();
    const paths = Array.from({ length: 1000 }, (_, sent) => `/${'x'.repeat(200)}${sent}`);
    for (let sent = 0; sent < paths.length; sent += 50)
      await Promise.all(paths.slice(sent, sent + 50).map(path => ask(server.port, clients[0] as Client, 'GET', path)));
    assert.equal(await endInstance(server), 0);
  });

  test('ends at once with the reason if its port is in use', async () => {
    const server = await start();
    await assert.rejects(start({ PORT: String(server.port) }), new RegExp(`Port ${server.port} is in use`));
    assert.equal(await endInstance(server), 0);
  });
});
