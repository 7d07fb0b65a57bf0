import { LRUCache } from 'lru-cache';
import type { Json } from '../../core/call/reply.ts';
import type { Principal } from '../../core/principal.ts';
import { root } from '../../core/root.ts';
import type { RateLimit } from '../request/rate-limit.ts';
import type { Serve, TenantRequest } from '../request/state.ts';
import { type Pages, requireReading } from './pages.ts';
import type { createTenantDocuments } from './tenant-documents.ts';
import { toYaml } from './yaml.ts';

type DocumentFormat = 'json' | 'yaml';

/** Number of documents that are kept of each kind: each has several megabytes. */
const kept = 5;

/** The functions that documents of tenants are created with. */
interface TenantDocuments {
  /** Returns the principal that the token belongs to. @throws ApiError 401, 429 */
  readonly authenticate: (request: TenantRequest) => Promise<Principal>;
  readonly documentOf: ReturnType<typeof createTenantDocuments>;
}

/**
 * Returns the pages of the published document by path.
 * They are public, with the requested host as the server; a request with a token receives the document of its
 * tenant.
 */
export const documents = (
  document: object,
  { countAddress }: Pick<RateLimit, 'countAddress'>,
  { authenticate, documentOf }: TenantDocuments,
): Pages => {
  const bytesOf = writer(document);
  const own = new LRUCache<string, string[]>({ max: kept });

  const ownBytes = async (format: DocumentFormat, principal: Principal, authority: string): Promise<Buffer> => {
    const { tag, document } = await documentOf(principal);
    const key = `${format} ${principal.tenant.id} ${tag}`;
    const text = own.get(key) ?? piecesOf(format, document);
    own.set(key, text);
    return Buffer.from(text.join(`https://${authority}${root}`));
  };

  const serve =
    (format: DocumentFormat, type: string): Serve =>
    async request => {
      const { exchange, wire, host } = request;
      exchange.state.metadata.page = `/openapi.${format}`;
      const principal = wire.token === null ? null : await authenticate(request);
      if (!principal) await countAddress(exchange.state);
      requireReading(exchange.method);
      const bytes = principal ? await ownBytes(format, principal, host.authority) : bytesOf(format, host.authority);
      return { status: 200, headers: {}, body: { kind: 'bytes', type, bytes } };
    };
  return {
    '/openapi.json': serve('json', 'application/json; charset=utf-8'),
    '/openapi.yaml': serve('yaml', 'application/yaml; charset=utf-8'),
  };
};

const print: Readonly<Record<DocumentFormat, (document: object) => string>> = {
  json: document => JSON.stringify(document, null, 2),
  yaml: document => toYaml(document as Json),
};

const placeholder = 'https://placeholder.invalid';
const server = { url: placeholder, description: 'The base URL of this tenant' };

/** Returns the document as strings, split at the server's URL. */
const piecesOf = (format: DocumentFormat, document: object): string[] =>
  print[format]({ ...document, servers: [server] }).split(placeholder);

/** Returns a function that returns the document's bytes by format and authority, made on first use. */
const writer = (document: object): ((format: DocumentFormat, authority: string) => Buffer) => {
  const pieces = new Map<DocumentFormat, string[]>();
  // Clients choose the authority: the host name of a tenant, and a port.
  const written = new LRUCache<string, Buffer>({ max: kept });
  return (format, authority) => {
    const key = `${format} ${authority}`;
    const known = written.get(key);
    if (known) return known;
    const text = pieces.get(format) ?? piecesOf(format, document);
    pieces.set(format, text);
    const bytes = Buffer.from(text.join(`https://${authority}${root}`));
    written.set(key, bytes);
    return bytes;
  };
};
