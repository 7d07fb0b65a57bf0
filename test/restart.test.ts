import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './support/app.ts';
import { endInstance, type Installation, type Instance, openInstallation } from './support/installation.ts';
import { until } from './support/until.ts';

/** Seconds. */
const delay = 3;
const restarts = 3;
/** Milliseconds between what the proxy, and each of its visitors, asks. */
const pauses = { look: 50, ask: 10 };

/** An instance, with the connections that a proxy keeps to it. */
interface Proxied extends Instance {
  readonly agent: Agent;
}

describe('a server behind a proxy that asks for its readiness', () => {
  let installation: Installation;
  let client: Client;

  before(async () => {
    const settings = { SHUTDOWN_DELAY: String(delay), AUTOMATIONS: 'false', RATE_LIMIT: '1000000', LOG_LEVEL: 'warn' };
    installation = await openInstallation(settings);
    client = await installation.app.newClient();
  });
  after(() => installation.close());

  const start = async (): Promise<Proxied> => ({
    ...(await installation.start()),
    agent: new Agent({ keepAlive: true }),
  });

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
    await until('it is reported as stopping', async () => {
      assert.equal(child.exitCode, null, 'It has ended without being reported as stopping.');
      return ((await readinessOf(instance)) as { reason?: string } | null)?.reason === 'stopping';
    });
    for (let left = 3; left > 0; left--) assert.deepEqual(await ask(port, agent), { status: 200, connection: 'close' });
    assert.equal((await ended)[0], 0);
    assert.ok(performance.now() - asked >= delay * 1000);
  });

  test(`fails no request while two instances restart ${restarts} times`, async () => {
    const instances = [await start(), await start()];
    let ready: readonly Proxied[] = [...instances];
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
      const instance = instances[place] as Proxied;
      assert.equal(await endInstance(instance), 0);
      instance.agent.destroy();
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
