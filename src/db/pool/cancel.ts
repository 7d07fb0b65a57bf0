import { connect as connectTo } from 'node:net';

/** Network address and cancellation key of a server session; null: the server has sent none. */
export interface Cancellable {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** Timeout of a cancel request, in milliseconds. */
const CANCELLING = 2000;

/**
 * Sends a CancelRequest over a separate connection, as the protocol requires.
 * See the PostgreSQL documentation, "Message Formats". The server sends no response; failures are ignored.
 */
export const requestCancel = ({ host, port, processID, secretKey }: Cancellable): void => {
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, processID, secretKey].entries()) message.writeInt32BE(value, index * 4);
  const path = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const socket = connectTo(path).setTimeout(CANCELLING).end(message);
  socket.on('error', () => socket.destroy()).on('timeout', () => socket.destroy());
};
