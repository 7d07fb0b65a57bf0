import { root } from '../../../core/root.ts';
import type { RateLimit } from '../../request/rate-limit.ts';
import type { Serve } from '../../request/state.ts';
import { securityHeaders } from '../../response/security-headers.ts';
import { type Pages, requireReading } from '../pages.ts';
import { llmsText } from './llms.ts';
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
  const page: ExplorerFile = {
    type: 'text/html; charset=utf-8',
    read: () => Buffer.from(explorerPage('openapi.json')),
  };
  const folder = `${root}/docs/`;
  return {
    '/docs': serveFile(() => page, countAddress, others),
    '/docs/*file': serveFile(path => files.get(path.slice(folder.length)), countAddress, others),
  };
};

/**
 * Returns the pages at the root of a host: `/`, to the explorer, and `/llms.txt`, to the documents.
 * `others` serves all other requests of these paths.
 */
export const hostPages = (
  document: object,
  { countAddress }: Pick<RateLimit, 'countAddress'>,
  others: Serve,
): Pages => {
  const links = {
    guide: `${root}/docs/guide.md`,
    json: `${root}/openapi.json`,
    yaml: `${root}/openapi.yaml`,
    explorer: `${root}/docs`,
  };
  const text: ExplorerFile = {
    type: 'text/plain; charset=utf-8',
    read: () => Buffer.from(llmsText(document, links)),
  };
  const toExplorer: Serve = async request => {
    const { method, url, state } = request.exchange;
    if ((method !== 'GET' && method !== 'HEAD') || url !== '/') return others(request);
    await countAddress(state);
    return { status: 302, headers: { Location: links.explorer }, body: null };
  };
  return { '/': toExplorer, '/llms.txt': serveFile(() => text, countAddress, others) };
};

/** Serves a file, which is read once; `others` serves paths that have none. */
const serveFile = (
  fileOf: (path: string) => ExplorerFile | undefined,
  countAddress: RateLimit['countAddress'],
  others: Serve,
): Serve => {
  const kept = new Map<ExplorerFile, Buffer>();
  return async request => {
    const { exchange } = request;
    const file = fileOf(exchange.path);
    if (!file) return others(request);
    await countAddress(exchange.state);
    requireReading(exchange.method);
    const bytes = kept.get(file) ?? file.read();
    kept.set(file, bytes);
    return { status: 200, headers, body: { kind: 'bytes', type: file.type, bytes } };
  };
};
