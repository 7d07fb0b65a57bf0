import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { connect, isIP } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import * as tls from 'node:tls';
import { gunzipSync } from 'node:zlib';
import type { ApiResponse, Asked } from '../../test/support/app.ts';
import { contradictions } from '../../test/support/conformance/conformance.ts';
import type { RawTarget } from '../../test/support/raw-requests.ts';

/** The server whose contract is tested. */
export interface ContractTarget extends RawTarget {
  /**
   * Sends a request; the path is relative to the API.
   * `problems`: how the exchange contradicts the document.
   */
  ask(method: string, path: string, asked?: Asked): Promise<ApiResponse & { readonly problems: readonly string[] }>;
  /** Sends bytes and returns everything received until the connection is closed, or for two seconds. */
  exchange(bytes: Buffer): Promise<string>;
  /** The number of requests so far. */
  readonly count: () => number;
  close(): void;
}

export interface TargetOptions {
  /** URL of the API, with or without `/api/v1`. */
  readonly url: string;
  readonly token: string;
  /** A file with certificates (PEM) to be trusted. */
  readonly ca: string | undefined;
}

const root = '/api/v1';

/** How often a request is sent again while the server is not available. */
const repetitions = 10;

/**
 * Returns the server of a URL.
 * A request over the rate limit is sent again when the limit allows, and one that is 503 a few times.
 */
export const openTarget = ({ url, token, ca: file }: TargetOptions): ContractTarget => {
  const { protocol, hostname, port, host } = new URL(url);
  const secure = protocol === 'https:';
  const ca = file === undefined ? {} : { ca: readFileSync(file) };
  const agent = secure ? new https.Agent({ keepAlive: true, ...ca }) : new http.Agent({ keepAlive: true });
  const place = { host: hostname, port: Number(port || (secure ? 443 : 80)) };
  let count = 0;

  const send = async (method: string, path: string, headers: Record<string, string>, body?: string | Buffer) => {
    const sent = (secure ? https : http).request({ ...place, agent, method, path: `${root}${path}`, headers });
    const responded = new Promise<http.IncomingMessage>((resolve, reject) =>
      sent.on('response', resolve).on('error', reject),
    );
    sent.end(body);
    count += 1;
    return responseOf(await responded);
  };

  const ask: ContractTarget['ask'] = async (method, path, { headers = {}, body } = {}) => {
    const isBytes = typeof body === 'string' || body instanceof Buffer;
    const text = body === undefined || isBytes ? (body as string | Buffer | undefined) : JSON.stringify(body);
    const length: Record<string, string> =
      text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    const type: Record<string, string> =
      body === undefined || body instanceof Buffer ? {} : { 'Content-Type': 'application/json' };
    const own: Record<string, string> = { Authorization: `Bearer ${token}`, ...type, ...length, ...headers };
    if (own.Authorization === '') delete own.Authorization;
    for (let left = repetitions; ; ) {
      const response = await send(method, path, own, text);
      const after = response.headers['retry-after'];
      const isBusy = response.status === 429 || (response.status === 503 && after !== undefined);
      if (!isBusy) return { ...response, problems: contradictions(method, path, { headers: own, body }, response) };
      if (response.status === 503 && left-- === 0)
        throw new Error(`The server stays unavailable: ${method} ${path}: 503 ${response.text.slice(0, 200)}`);
      await pause(1000 * Number(after ?? 1));
    }
  };

  const exchange = async (bytes: Buffer): Promise<string> => {
    for (let left = repetitions; ; left--) {
      const response = await exchangeOnce(bytes);
      const [, after] = /^HTTP\/1\.1 503 [\s\S]*?\r\nRetry-After: (\d+)\r\n/i.exec(response) ?? [];
      if (after === undefined || left === 0) return response;
      await pause(1000 * Number(after));
    }
  };

  const exchangeOnce = (bytes: Buffer): Promise<string> =>
    new Promise(resolve => {
      count += 1;
      const chunks: Buffer[] = [];
      const write = () => void socket.write(bytes);
      const socket = secure
        ? tls.connect({ ...place, ...(isIP(hostname) === 0 && { servername: hostname }), ...ca }, write)
        : connect(place, write);
      // A request that waits for more bytes gets no response at once.
      socket.setTimeout(2000, () => socket.destroy());
      socket.on('data', chunk => chunks.push(chunk)).on('error', () => {});
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    });
  return { host, token, ask, exchange, count: () => count, close: () => agent.destroy() };
};

const responseOf = async (response: http.IncomingMessage): Promise<ApiResponse> => {
  const { statusCode: status = 0, headers } = response;
  const sent = await buffer(response);
  const bytes = headers['content-encoding'] === 'gzip' && sent.length > 0 ? gunzipSync(sent) : sent;
  const text = bytes.toString();
  const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
  return { status, headers, bytes, text, body: isJson ? JSON.parse(text) : null };
};
