import { createServer, type IncomingHttpHeaders, type RequestListener, request, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** What goes wrong on the way of a request; milliseconds of simulated time. */
export interface RequestFaults {
  /** Before the request arrives. */
  readonly late?: number;
  /** Between the head of the request and its body. */
  readonly slowBody?: number;
  /** Before the client has the response. */
  readonly lateResponse?: number;
  /** Whether the request never arrives, the response never does, or the client leaves at once. */
  readonly lost?: 'request' | 'response' | 'connection';
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** A response, and when the server began to send it. */
export interface ServedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly at: number;
}

/** What the response of a request is, and what the client got of it. */
export interface DeliveredResponse {
  /** Null: the server has sent none. */
  readonly served: ServedResponse | null;
  /** Whether the client got it. */
  readonly received: boolean;
}

const peer = { remoteAddress: '127.0.0.1', remotePort: 1, setNoDelay() {}, setKeepAlive() {}, setTimeout() {} };

/** Connections between clients and the server in the memory of the process. */
export class SimulatedNetwork {
  readonly #server: Server;

  constructor(handle: RequestListener) {
    this.#server = createServer({ requireHostHeader: false }, (request, response) => {
      // That of Node is the real one.
      response.sendDate = false;
      response.setHeader('Date', new Date().toUTCString());
      handle(request, response);
    });
  }

  /** Sends a request with its faults. */
  async send(sent: WireRequest, faults: RequestFaults): Promise<DeliveredResponse> {
    await pause(faults.late ?? 1);
    if (faults.lost === 'request') return { served: null, received: false };
    const served = await this.#exchange(sent, faults);
    await pause(faults.lateResponse ?? 1);
    return { served, received: faults.lost !== 'response' && served !== null };
  }

  #exchange(
    { method, path, headers, body }: WireRequest,
    { slowBody, lost }: RequestFaults,
  ): Promise<ServedResponse | null> {
    const [near, far] = duplexPair();
    this.#server.emit('connection', Object.assign(far, peer));
    return new Promise(resolve => {
      const options = { method, path, headers, createConnection: () => near as never };
      const outgoing = request(options)
        .on('error', () => resolve(null))
        .on('response', response => {
          const at = Date.now();
          const chunks: Buffer[] = [];
          response
            .on('data', chunk => chunks.push(chunk))
            .on('error', () => resolve(null))
            .on('end', () => {
              const { statusCode: status = 0, headers } = response;
              resolve({ status, headers, text: Buffer.concat(chunks).toString(), at });
              near.destroy();
              far.destroy();
            });
        });
      const leave = () => {
        near.destroy();
        far.destroy();
        resolve(null);
      };
      if (slowBody !== undefined && body) {
        outgoing.flushHeaders();
        setTimeout(() => outgoing.end(body), slowBody);
      } else outgoing.end(body ?? undefined);
      if (lost === 'connection') setTimeout(leave, 1 + (slowBody ?? 0));
    });
  }
}
