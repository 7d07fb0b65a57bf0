import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above the ports of common services, and above those that clients of HTTP refuse to connect to. */
const LOWEST = 10_081;

/** The first of the ports that Linux gives to outgoing connections, and to servers that ask for any. */
const EPHEMERAL = 32_768;

const given = new Set<number>();

/**
 * Finds a port of the loopback interface that nothing listens on: another one each time. No connection and no server that asks for
 * any port takes it before it is used, or while the server that uses it is started again.
 * @param choose returns a port to try; default: at random
 */
export const freePort = async (choose = (): number => randomInt(LOWEST, EPHEMERAL)): Promise<number> => {
  for (;;) {
    const port = choose();
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
};
