import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How the response to a COMMIT is lost: never forwarded, or lost together with the connection. */
export type Loss = 'held' | 'cut';

/** Starts a proxy in front of a Postgres server that, while `loss` is set, drops the responses to COMMIT after the server has committed. */
export const loseCommits = async (url: string) => {
  const target = new URL(url);
  const state: { loss: Loss | null; lost: number } = { loss: null, lost: 0 };
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname);
    let losing = false;
    client.on('data', chunk => {
      // Excludes reads, which send COMMIT together with BEGIN.
      losing ||= state.loss !== null && chunk.includes('commit') && !chunk.includes('begin');
      upstream.write(chunk);
    });
    upstream.on('data', chunk => {
      if (!losing) return client.write(chunk);
      state.lost++;
      if (state.loss === 'cut') client.destroy();
      return false;
    });
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
    state,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
