import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A proxy before the server of a URL that counts trips: how often the client speaks after the server has answered. */
export const countTrips = async (url: string) => {
  const target = new URL(url);
  let trips = 0;
  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname);
    let answered = true;
    client.on('data', chunk => {
      if (answered) trips++;
      answered = false;
      upstream.write(chunk);
    });
    upstream.on('data', chunk => {
      answered = true;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    get trips() {
      return trips;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
};
