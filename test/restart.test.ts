import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../src/db/open.ts';
import { generateKeySet, parseKeySet } from '../src/tenancy/keys.ts';
import { type Client, startApp } from './support/app.ts';
import { childEnvironment } from './support/child-environment.ts';
import { inMemory, migratedUrl } from './support/database.ts';

/** Seconds. */
const delay = 3;
const restarts = 3;
/** Milliseconds between what the proxy, and each of its visitors, asks. */
const pauses = { look: 50, ask: 10 };

interface Instance {
  readonly child: ChildProcess;
  readonly port: number;
  readonly internalPort: number;
  readonly agent: Agent;
}

describe('a server behind a proxy that asks for its readiness', () => {
  const folder = mkdtempSync(join(tmpdir(), 'restart-'));
  const keys = generateKeySet('HS256');
  const started = new Set<ChildProcess>();
  let environment: Record<string, string>;
  let client: Client;

  before(async () => {
    const url = await migratedUrl();
    environment = {
      ...{ ...childEnvironment, DATA_DIR: folder, DATABASE_URL: url, JWT_KEYS: keys, BASE_DOMAIN: 'test' },
      ...{ HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0', TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'warn' },
      ...{ SHUTDOWN_DELAY: String(delay), AUTOMATIONS: 'false', RATE_LIMIT: '1000000' },
    };
    const database = openDatabase({ ...inMemory, url });
    const app = await startApp(database, { keys: parseKeySet(keys, 'HS256') });
    client = await app.newClient();
    await app.close();
    await database.close();
  });
  after(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const start = async (): Promise<Instance> => {
    const child = spawn(process.execPath, ['src/main.ts'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    started.add(child);
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += chunk;
      const [, port, internalPort] = /localhost:(\d+)\/.*localhost:(\d+)\/livez/s.exec(printed) ?? [];
      if (port)
        return { child, port: Number(port), internalPort: Number(internalPort), agent: new Agent({ keepAlive: true }) };
    }
    throw new Error(`The server ended: ${printed}`);
  };

  const readinessOf = async ({ internalPort }: Instance): Promise<unknown> => {
    const ready = await fetch(`http://127.0.0.1:${internalPort}/readyz`).catch(() => null);
    return ready?.json() ?? null;
  };

  const headers = () => ({
    Host: `${client.tenant.slug}.test`,
    Authorization: `Bearer ${client.token}`,
    'X-Forwarded-Proto': 'https',
  });

  const ask = (port: number, agent: Agent): Promise<{ status: number; connection: string | undefined }> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/api/v1/clients', agent, headers: headers() }, response => {
        const { statusCode: status = 0, headers } = response.resume();
        response.once('end', () => resolve({ status, connection: headers.connection })).once('error', reject);
      })
        .once('error', reject)
        .end();
    });

  test('serves until SHUTDOWN_DELAY is over, not ready, and closes each connection with its response', async () => {
    const instance = await start();
    const { child, port, agent } = instance;
    assert.deepEqual(await ask(port, agent), { status: 200, connection: 'keep-alive' });
    assert.deepEqual(await readinessOf(instance), { status: 'ready' });
    const asked = performance.now();
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    while (((await readinessOf(instance)) as { reason?: string } | null)?.reason !== 'stopping')
      assert.equal(child.exitCode, null, 'It has ended without being reported as stopping.');
    for (let left = 3; left > 0; left--) assert.deepEqual(await ask(port, agent), { status: 200, connection: 'close' });
    assert.equal((await ended)[0], 0);
    assert.ok(performance.now() - asked >= delay * 1000);
  });

  test(`fails no request while two instances restart ${restarts} times`, async () => {
    const instances = [await start(), await start()];
    let ready: readonly Instance[] = [...instances];
    let running = true;
    const looking = (async () => {
      while (running) {
        await pause(pauses.look);
        const found = await Promise.all(instances.map(readinessOf));
        ready = instances.filter((_, index) => (found[index] as { status?: string } | null)?.status === 'ready');
      }
    })();

    let turn = 0;
    const proxy = createServer((incoming, outgoing) => {
      const instance = ready[turn++ % ready.length];
      const { method, url, headers } = incoming;
      const failed = () => outgoing.writeHead(502).end();
      if (!instance) return failed();
      const { port, agent } = instance;
      return request(
        { host: '127.0.0.1', port, method, path: url, headers: { ...headers, connection: 'keep-alive' }, agent },
        response => {
          outgoing.writeHead(response.statusCode ?? 502);
          response.once('error', () => outgoing.destroy()).pipe(outgoing);
        },
      )
        .once('error', failed)
        .end();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');

    const statuses = new Map<number, number>();
    const visitors = Array.from({ length: 4 }, async () => {
      const agent = new Agent({ keepAlive: true });
      const { port } = proxy.address() as AddressInfo;
      while (running) {
        await pause(pauses.ask);
        const { status } = await ask(port, agent).catch(() => ({ status: 0 }));
        statuses.set(status, 1 + (statuses.get(status) ?? 0));
      }
      agent.destroy();
    });

    for (let restart = 0; restart < restarts; restart++) {
      const place = restart % instances.length;
      const { child, agent } = instances[place] as Instance;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      assert.equal((await ended)[0], 0);
      agent.destroy();
      const started = await start();
      instances[place] = started;
      // As an orchestrator does, before it goes on to the next.
      while (!ready.includes(started)) await pause(pauses.look);
    }
    running = false;
    await Promise.all([...visitors, looking]);
    proxy.close();
    assert.ok((statuses.get(200) ?? 0) > 100);
    assert.deepEqual([...statuses.keys()], [200], JSON.stringify([...statuses]));
    for (const { child } of instances) child.kill('SIGKILL');
  });
});
