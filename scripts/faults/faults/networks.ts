import { setTimeout as pause } from 'node:timers/promises';
import { startProxy } from '../../../test/support/proxies/proxy.ts';
import { deployments } from '../deployment.ts';
import type { Fault } from '../fault.ts';
import { makeNamespace, type NetworkNamespace, namespaceObstacle } from '../system.ts';

const milliseconds = (short: boolean): number => (short ? 3000 : 10_000);

let namespace: NetworkNamespace | undefined;

/** The service is in a network of its own, and its way to clients and database is cut for a while. */
export const cutNetwork: Fault = {
  name: 'the network is cut',
  deployments,
  short: ['workers'],
  obstacle: namespaceObstacle,
  prepare: async ({ service, undo }) => {
    const made = makeNamespace();
    namespace = made;
    undo.push(made.remove);
    const [here, there] = made.addresses;
    service.launcher = ['ip', 'netns', 'exec', made.name];
    service.host = there;
    service.environment.TRUST_PROXY = here;
    const { DATABASE_URL: url } = service.environment;
    if (!url) return;
    const proxy = await startProxy(url, (client, upstream) => client.pipe(upstream).pipe(client), here);
    undo.push(proxy.close);
    service.environment.DATABASE_URL = proxy.url;
  },
  happen: async (_, ledger, short) => {
    await ledger.more(20);
    namespace?.cut();
    await pause(milliseconds(short));
    namespace?.mend();
    await ledger.more(20);
    return `${milliseconds(short) / 1000} s`;
  },
};

let isSilent = false;
let hangUp = (): void => {};

/** What the service and Postgres send each other is lost for a while, then their connections are. */
export const silentDatabase: Fault = {
  name: 'the way to Postgres is silent',
  deployments: ['postgres', 'workers'],
  short: ['postgres'],
  prepare: async ({ service, undo }) => {
    const url = service.environment.DATABASE_URL as string;
    isSilent = false;
    const proxy = await startProxy(url, (client, upstream) => {
      client.on('data', chunk => isSilent || upstream.write(chunk));
      upstream.on('data', chunk => isSilent || client.write(chunk));
    });
    undo.push(proxy.close);
    hangUp = () => proxy.redirect(url);
    service.environment.DATABASE_URL = proxy.url;
  },
  happen: async (_, ledger, short) => {
    await ledger.more(20);
    isSilent = true;
    await pause(milliseconds(short));
    isSilent = false;
    hangUp();
    await ledger.more(20);
    return `${milliseconds(short) / 1000} s`;
  },
};
