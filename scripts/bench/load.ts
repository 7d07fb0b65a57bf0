import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { BenchTenant } from './data.ts';
import { askedTenants, type BenchRequest, type Workload } from './workloads/workload.ts';
import { workloads } from './workloads/workloads.ts';

/** What the process of the load is to do. */
export interface LoadOrder {
  readonly workload: string;
  readonly port: number;
  /** The first number of the requests. */
  readonly from: number;
  /** Until how many milliseconds from now new requests are sent. */
  readonly milliseconds: number;
  /** How many numbers at most; without it as many as there is time for. */
  readonly most?: number;
}

/** What it reports. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The first response with another status than the workload's. */
  readonly failure: string | null;
}

/** A response, with its body only where it is asked for. */
export interface ReceivedResponse {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: Buffer;
}

/** Milliseconds without anything of a response after which it is given up. */
const patience = 120_000;

const agents = new Map<number, Agent>();

/** Sends a request of the benchmark and returns the response, its body as it came. */
export const sendTo = (
  port: number,
  { tenant, method, path, token = tenant.token, body }: BenchRequest,
  ifNoneMatch?: string,
): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const agent = agents.get(port) ?? new Agent({ keepAlive: true });
    agents.set(port, agent);
    const content = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const sent = request({ agent, host: '127.0.0.1', port, method, path: `/api/v1${path}` }, response =>
      receive(response).then(resolve, reject),
    );
    sent.setHeader('host', tenant.host);
    sent.setHeader('x-forwarded-proto', 'https');
    sent.setHeader('authorization', `Bearer ${token}`);
    sent.setHeader('accept-encoding', 'gzip');
    if (ifNoneMatch) sent.setHeader('if-none-match', ifNoneMatch);
    if (content) {
      sent.setHeader('content-type', 'application/json');
      sent.setHeader('content-length', content.length);
    }
    sent.on('error', reject);
    sent.setTimeout(patience, () => sent.destroy(new Error(`No response within ${patience} ms: ${path}`)));
    sent.end(content);
  });

const receive = async (response: IncomingMessage): Promise<ReceivedResponse> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const { statusCode = 0, headers } = response;
  return { status: statusCode, etag: headers.etag, body: Buffer.concat(chunks) };
};

const run = async (order: LoadOrder, all: readonly BenchTenant[]): Promise<Load> => {
  const { workload: name, port, from, milliseconds, most = Number.POSITIVE_INFINITY } = order;
  const workload = workloads[name] as Workload;
  const tenants = askedTenants(workload, all);
  const { connections = 8, together, status, conditional } = workload;
  const [first] = workload.requests(from, tenants);
  const tag = conditional && first ? (await sendTo(port, first)).etag : undefined;
  const latencies: number[] = [];
  let failure: string | null = null;
  let next = from;
  const begun = performance.now();
  const connect = async (): Promise<void> => {
    while (performance.now() < begun + milliseconds && next < from + most) {
      const requests = workload.requests(next++, tenants);
      const started = performance.now();
      for (const [index, wanted] of requests.entries()) {
        const sent = performance.now();
        const received = await sendTo(port, wanted, tag);
        if (received.status !== status) failure ??= `${wanted.method} ${wanted.path}: ${received.status}`;
        if (!together || index === requests.length - 1) latencies.push(performance.now() - (together ? started : sent));
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, connect));
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const seconds = (performance.now() - begun) / 1000;
  return { requests: latencies.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99), failure };
};

if (import.meta.main) {
  const tenants: readonly BenchTenant[] = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
  process.on('message', (order: LoadOrder) => {
    run(order, tenants).then(
      load => process.send?.(load),
      error => process.send?.({ requests: 0, seconds: 0, p50Ms: 0, p99Ms: 0, failure: String(error) }),
    );
  });
}
