import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { RequestStep, StepResult } from './step.ts';

export interface ServicePorts {
  readonly api: number;
  readonly internal: number;
}

/** Creates a client that sends requests sequentially over one persistent connection. */
export const createClient = (ports: ServicePorts): { send(step: RequestStep): Promise<StepResult>; close(): void } => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const plainAgent = new PlainAgent({ keepAlive: false });
  return {
    send: step =>
      new Promise(resolve => {
        const { method, target: path, headers } = step;
        const body = step.gzip ? gzipSync(step.body ?? '') : Buffer.from(step.body ?? '');
        const port = step.port === 'internal' ? ports.internal : ports.api;
        const length = step.body === undefined ? {} : { 'Content-Length': String(body.length) };
        const options = { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, setHost: false };
        const outgoing =
          step.port === 'api' ? request({ ...options, agent }) : plainRequest({ ...options, agent: plainAgent });
        outgoing.on('error', error => resolve({ status: null, headers: [], body: `no response (${codeOf(error)})` }));
        outgoing.on('response', async incoming => {
          const { rawHeaders } = incoming;
          const pairs = rawHeaders.flatMap((name, index) =>
            index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
          );
          const bytes = await buffer(incoming).catch(error => Buffer.from(`broken off (${codeOf(error)})`));
          const coded = incoming.headers['content-encoding'] === 'gzip';
          resolve({ status: incoming.statusCode ?? null, headers: pairs, body: textOf(bytes, coded) });
        });
        outgoing.end(step.body === undefined ? undefined : body);
      }),
    close: () => {
      agent.destroy();
      plainAgent.destroy();
    },
  };
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

const textOf = (bytes: Buffer, coded: boolean): string => {
  const plain = coded && bytes.length > 0 ? gunzipSync(bytes) : bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    return `base64:${plain.toString('base64')}`;
  }
};
