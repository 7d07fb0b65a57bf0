import { createHash, createSecretKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import jsonwebtoken from 'jsonwebtoken';
import { catalogue } from '../../../generated/errors.ts';
import type { BenchTenant } from '../data.ts';
import { type FloorReader, objectReader } from './objects.ts';
import { type JsonRecord, planOf } from './plans.ts';
import { wireReader } from './wire/reader.ts';

/**
 * A floor: what a bare server costs that checks the token and sends the server's statements.
 * It returns the same bytes. Arguments: `objects` or `wire`, the port, and the file of the tenants; DATABASE_URL and JWT_KEYS as for
 * the server.
 */
const [kind, port, file = ''] = process.argv.slice(2);
const tenants = new Map(
  (JSON.parse(readFileSync(file, 'utf8')) as BenchTenant[]).map(tenant => [tenant.host, tenant] as const),
);
const url = process.env.DATABASE_URL ?? '';
const [key] = JSON.parse(process.env.JWT_KEYS ?? '').keys;
const secret = createSecretKey(Buffer.from(key.k, 'base64url'));

const compressed = promisify<Buffer | string, { level: number }, Buffer>(gzip);
const read: FloorReader = kind === 'wire' ? wireReader(url) : objectReader(url);
const compress = (bytes: Buffer | string): Promise<Buffer> | Buffer =>
  kind === 'wire' ? gzipSync(bytes, { level: 1 }) : compressed(bytes, { level: 6 });

interface Texts {
  readonly message: string;
  readonly description: string;
}

const problem = (code: keyof typeof catalogue, { message, description }: Texts = catalogue[code]): string =>
  JSON.stringify(
    {
      code,
      message,
      description,
      documentation_url: `/api/v1/docs/errors.html#${code}`,
      request_id: randomUUID(),
    },
    null,
    2,
  );

/** The texts of the error of the path that the workload asks for. */
const unknownPath: Texts = {
  message: 'There is no such path. Did you mean /assignments/{id}?',
  description: 'Check the path, and the ids in it.',
};

const isGenuine = (request: IncomingMessage, { host }: BenchTenant): boolean => {
  try {
    jsonwebtoken.verify(request.headers.authorization?.slice(7) ?? '', secret, {
      algorithms: ['HS256'],
      issuer: 'staffing',
      audience: host.split('.')[0] as string,
    });
    return true;
  } catch {
    return false;
  }
};

const bodyOf = async (request: IncomingMessage): Promise<JsonRecord | null> => {
  if (request.method === 'GET') return null;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const tenant = tenants.get(request.headers.host ?? '');
  if (!tenant) return send(response, 404, problem('tenant_not_found'));
  if (!isGenuine(request, tenant)) return send(response, 401, problem('invalid_token'));
  const { method = '', url: target = '' } = request;
  const plan = planOf(method, target, tenant, await bodyOf(request));
  const json = plan && (await read(plan));
  if (!plan) return send(response, 404, problem('not_found', unknownPath));
  if (json === null) return send(response, 404, problem('not_found'));
  const etag = createHash('sha1').update(`${tenant.id}\n`).update(json).digest('hex');
  const tag = `"${etag}-gzip"`;
  if (request.headers['if-none-match'] === tag) return void response.writeHead(304, { etag: tag }).end();
  return send(response, plan.status, json, { etag: tag });
};

const send = async (response: ServerResponse, status: number, json: Buffer | string, headers = {}): Promise<void> => {
  const bytes = await compress(json);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-encoding': 'gzip',
      'content-length': bytes.length,
      'cache-control': 'private, no-cache',
      vary: 'Accept-Encoding',
      ...headers,
    })
    .end(bytes);
};

createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  serve(request, response).catch(error => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    response.writeHead(500).end();
  });
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
