import { LRUCache } from 'lru-cache';
import type { Json } from '../../core/call/reply.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import { root } from '../../core/root.ts';
import type { RateLimit } from '../request/rate-limit.ts';
import type { Serve, Visit } from '../request/state.ts';
import { type Pages, requireReading } from './pages.ts';
import { toYaml } from './yaml.ts';

type Format = 'json' | 'yaml';

/** What a document of one tenant is made with. */
export interface TenantDocuments {
  /** Who sends the token. @throws ApiError 401, 429 */
  readonly identify: (visit: Visit) => Promise<Principal>;
  /** The tenant's own document; its tag is another whenever the document is. */
  readonly documentOf: (tenant: Tenant) => Promise<{ readonly tag: string; readonly document: object }>;
}

/**
 * The pages of the published document by path: for everyone, with the URL that was asked as its server. Who sends a token gets the
 * document of its tenant.
 */
export const documents = (
  document: object,
  { countAddress }: Pick<RateLimit, 'countAddress'>,
  { identify, documentOf }: TenantDocuments,
): Pages => {
  const bytesOf = writer(document);
  // Megabytes each.
  const own = new LRUCache<string, string[]>({ max: 20 });

  const ownBytes = async (format: Format, tenant: Tenant, authority: string): Promise<Buffer> => {
    const { tag, document } = await documentOf(tenant);
    const key = `${format} ${tenant.id} ${tag}`;
    const text = own.get(key) ?? piecesOf(format, document);
    own.set(key, text);
    return Buffer.from(text.join(`https://${authority}${root}`));
  };

  const serve =
    (format: Format, type: string): Serve =>
    async visit => {
      const { exchange, wire, tenant, host } = visit;
      const personal = wire.token !== null;
      if (personal) await identify(visit);
      else await countAddress(exchange.state);
      requireReading(exchange.method);
      const bytes = personal ? await ownBytes(format, tenant, host.authority) : bytesOf(format, host.authority);
      return { status: 200, headers: {}, body: { kind: 'bytes', type, bytes } };
    };
  return {
    '/openapi.json': serve('json', 'application/json; charset=utf-8'),
    '/openapi.yaml': serve('yaml', 'application/yaml; charset=utf-8'),
  };
};

const print: Readonly<Record<Format, (document: object) => string>> = {
  json: document => JSON.stringify(document, null, 2),
  yaml: document => toYaml(document as Json),
};

const placeholder = 'https://placeholder.invalid';
const server = { url: placeholder, description: 'The address of this tenant' };

/** The document as a string, cut where the server's URL stands. */
const piecesOf = (format: Format, document: object): string[] =>
  print[format]({ ...document, servers: [server] }).split(placeholder);

/** The published document's bytes by format and authority. A format is made when it is first asked for. */
const writer = (document: object): ((format: Format, authority: string) => Buffer) => {
  const pieces = new Map<Format, string[]>();
  // Few are kept: any name that leads to a tenant is an authority, with any port.
  const kept = new LRUCache<string, Buffer>({ max: 40 });
  return (format, authority) => {
    const key = `${format} ${authority}`;
    const known = kept.get(key);
    if (known) return known;
    const text = pieces.get(format) ?? piecesOf(format, document);
    pieces.set(format, text);
    const bytes = Buffer.from(text.join(`https://${authority}${root}`));
    kept.set(key, bytes);
    return bytes;
  };
};
