import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Starts a proxy in front of a server; `join` is called with each connection and forwards what its two sides send.
 * @param urls the URL of the server; several: each connection goes to the next of them
 * @param host the address that it listens on
 */
export const startProxy = async (
  urls: string | readonly string[],
  join: (client: Socket, upstream: Socket) => void,
  host = '127.0.0.1',
) => {
  let targets = [urls].flat().map(url => new URL(url));
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    const target = targets[count++ % targets.length] as URL;
    const upstream = connect(Number(target.port), target.hostname);
    join(client, upstream);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }).listen(0, host);
  await once(server, 'listening');
  const proxied = new URL(targets[0] as URL);
  proxied.hostname = host;
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    /** Ends all connections; later ones are to another server. */
    redirect(other: string) {
      targets = [new URL(other)];
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
