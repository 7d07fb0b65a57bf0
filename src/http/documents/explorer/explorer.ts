import { root } from '../../../core/root.ts';
import type { RateLimit } from '../../request/rate-limit.ts';
import type { Serve } from '../../request/state.ts';
import { securityHeaders } from '../../response/security-headers.ts';
import { type Pages, requireReading } from '../pages.ts';
import { type ExplorerFile, explorerFiles, explorerPage } from './page.ts';

/** The page needs inline styles and images as data URLs; everything else is loaded from this server. */
const headers = securityHeaders({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
});

/**
 * Returns the pages of GET /docs.
 * A public API explorer (Scalar) of the document with its guide and its error codes, all of which load nothing from other servers.
 * `others` serves unknown paths below it.
 */
export const explorer = (document: object, { countAddress }: Pick<RateLimit, 'countAddress'>, others: Serve): Pages => {
  const files = explorerFiles(document, '../docs');
  const kept = new Map<ExplorerFile, Buffer>();
  const page: ExplorerFile = {
    type: 'text/html; charset=utf-8',
    read: () => Buffer.from(explorerPage('openapi.json')),
  };
  const serve =
    (fileOf: (path: string) => ExplorerFile | undefined): Serve =>
    async request => {
      const { exchange } = request;
      const file = fileOf(exchange.path);
      if (!file) return others(request);
      await countAddress(exchange.state);
      requireReading(exchange.method);
      const bytes = kept.get(file) ?? file.read();
      kept.set(file, bytes);
      return { status: 200, headers, body: { kind: 'bytes', type: file.type, bytes } };
    };
  const folder = `${root}/docs/`;
  return { '/docs': serve(() => page), '/docs/*file': serve(path => files.get(path.slice(folder.length))) };
};

/** Redirects a plain GET of `/` to the explorer; `others` serve all other requests of that path. */
export const toExplorer =
  ({ countAddress }: Pick<RateLimit, 'countAddress'>, others: Serve): Serve =>
  async request => {
    const { method, url, state } = request.exchange;
    if ((method !== 'GET' && method !== 'HEAD') || url !== '/') return others(request);
    await countAddress(state);
    return { status: 302, headers: { Location: `${root}/docs` }, body: null };
  };
