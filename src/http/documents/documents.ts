import Router from '@koa/router';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../core/errors.ts';
import type { Tenant } from '../../core/principal.ts';
import type { Json } from '../../core/reply.ts';
import { root } from '../request/negotiate.ts';
import type { RateLimit } from '../request/rate-limit.ts';
import type { Exchange, Stage, State } from '../request/state.ts';
import { toYaml } from './yaml.ts';

/** The published document: as an object, and as the YAML text that the generator writes. */
export interface PublishedDocument {
  readonly document: object;
  readonly yaml: string;
}

interface Texts {
  readonly json: Buffer;
  readonly yaml: Buffer;
}

/** What a document of one tenant is made with. */
export interface TenantDocuments {
  readonly authenticate: Stage;
  readonly limitUser: Stage;
  /** The tenant's own document; its tag is another whenever the document is. */
  readonly documentOf: (tenant: Tenant) => Promise<{ readonly tag: string; readonly document: object }>;
}

/**
 * Serves the published document to everyone, with the address that was asked as its server. Who sends a token gets the document of
 * its tenant.
 */
export const documents = (
  published: PublishedDocument,
  { countAddress }: Pick<RateLimit, 'countAddress'>,
  { authenticate, limitUser, documentOf }: TenantDocuments,
): Stage => {
  const textsOf = writer(published);
  // Megabytes each.
  const own = new LRUCache<string, string[]>({ max: 20 });
  const router = new Router<State>({ prefix: root, sensitive: true, strict: true });

  const ownText = async (kind: keyof Texts, tenant: Tenant, authority: string): Promise<Buffer> => {
    const { tag, document } = await documentOf(tenant);
    const key = `${kind} ${tenant.id} ${tag}`;
    const text = own.get(key) ?? print[kind]({ ...document, servers: [server] }).split(placeholder);
    own.set(key, text);
    return Buffer.from(text.join(`https://${authority}${root}`));
  };

  const serve =
    (kind: keyof Texts, type: string) =>
    async (ctx: Exchange): Promise<void> => {
      const personal = ctx.state.wire.token !== null;
      if (personal) await authenticate(ctx as never, () => limitUser(ctx as never, async () => {}) as Promise<void>);
      else await countAddress(ctx);
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
        throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
      const authority = ctx.state.host?.authority ?? '';
      const bytes =
        personal && ctx.state.tenant ? await ownText(kind, ctx.state.tenant, authority) : textsOf(authority)[kind];
      ctx.state.reply = { status: 200, headers: {}, body: { kind: 'bytes', type, bytes } };
    };
  router.all('/openapi.json', serve('json', 'application/json; charset=utf-8'));
  router.all('/openapi.yaml', serve('yaml', 'application/yaml; charset=utf-8'));
  return router.routes() as Stage;
};

const print: Readonly<Record<keyof Texts, (document: object) => string>> = {
  json: document => JSON.stringify(document, null, 2),
  yaml: document => toYaml(document as Json),
};

const placeholder = 'https://placeholder.invalid';
const server = { url: placeholder, description: 'The address of this tenant' };

/** The texts by authority. Few are kept: any name that leads to a tenant is one, with any port. */
const writer = ({ document, yaml }: PublishedDocument): ((authority: string) => Texts) => {
  const json = JSON.stringify({ ...document, servers: [server] }, null, 2).split(placeholder);
  const yamlServers = `servers:\n  - url: ${placeholder}\n    description: ${server.description}\n`;
  const yamlTexts = replaceServers(yaml, yamlServers).split(placeholder);
  const kept = new LRUCache<string, Texts>({ max: 20 });
  return authority => {
    const address = `https://${authority}${root}`;
    const known = kept.get(authority);
    if (known) return known;
    const texts = { json: Buffer.from(json.join(address)), yaml: Buffer.from(yamlTexts.join(address)) };
    kept.set(authority, texts);
    return texts;
  };
};

/** Replaces the top-level member `servers` of a YAML text, up to the next top-level member. */
const replaceServers = (yaml: string, servers: string): string => {
  const replaced = yaml.replace(/^servers:.*\n(?:[ -].*\n|\n)*/m, () => servers);
  return replaced.includes(servers) ? replaced : `${yaml.trimEnd()}\n${servers}`;
};
