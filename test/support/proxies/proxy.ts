import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Starts a proxy in front of the server of a URL; `join` is called with each connection and forwards what its two sides send. */
export const startProxy = async (url: string, join: (client: Socket, upstream: Socket) => void) => {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer(client => {
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
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    /** Ends all connections; later ones are to another server. */
    redirect(other: string) {
      target = new URL(other);
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
