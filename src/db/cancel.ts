import { connect as connectTo } from 'node:net';

/** Where a session of a server is, and its secret key; null: the server has given none. */
export interface Session {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** Milliseconds that a request to cancel may take. */
const CANCELLING = 2000;

/**
 * Sends a CancelRequest (PostgreSQL documentation, "Message Formats") over a connection of its own, as the protocol wants it. It is
 * never answered; one that does not arrive changes nothing.
 */
export const requestCancel = ({ host, port, processID, secretKey }: Session): void => {
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, processID, secretKey].entries()) message.writeInt32BE(value, index * 4);
  const path = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const socket = connectTo(path).setTimeout(CANCELLING).end(message);
  socket.on('error', () => socket.destroy()).on('timeout', () => socket.destroy());
};
