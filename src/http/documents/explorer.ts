import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../../core/root.ts';
import type { RateLimit } from '../request/rate-limit.ts';
import type { Serve } from '../request/state.ts';
import { securityHeaders } from '../response/security-headers.ts';
import { type Pages, requireReading } from './pages.ts';

/** Swagger UI needs inline styles and images as data URLs; everything else is loaded from this server. */
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

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Staffing API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="explorer"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#explorer',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
});
`;

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const script = 'text/javascript; charset=utf-8';

/** The files of the page: path → type and bytes, read on the first request. */
const files: Readonly<Record<string, readonly [type: string, read: () => Buffer]>> = {
  '/docs': ['text/html; charset=utf-8', () => Buffer.from(page)],
  '/docs/start.js': [script, () => Buffer.from(start)],
  '/docs/swagger-ui-bundle.js': [script, () => readFileSync(join(folder, 'swagger-ui-bundle.js'))],
  '/docs/swagger-ui.css': ['text/css; charset=utf-8', () => readFileSync(join(folder, 'swagger-ui.css'))],
};

/** Returns the pages of GET /docs, a public API explorer (Swagger UI) that loads nothing from other servers. */
export const explorer = ({ countAddress }: Pick<RateLimit, 'countAddress'>): Pages =>
  Object.fromEntries(
    Object.entries(files).map(([path, [type, read]]) => {
      let bytes: Buffer | null = null;
      const serve: Serve = async ({ exchange }) => {
        await countAddress(exchange.state);
        requireReading(exchange.method);
        bytes ??= read();
        return { status: 200, headers, body: { kind: 'bytes', type, bytes } };
      };
      return [path, serve];
    }),
  );

/** Redirects a plain GET of `/` to the explorer; all other requests of that path are served by `others`. */
export const toExplorer =
  ({ countAddress }: Pick<RateLimit, 'countAddress'>, others: Serve): Serve =>
  async request => {
    const { method, url, state } = request.exchange;
    if ((method !== 'GET' && method !== 'HEAD') || url !== '/') return others(request);
    await countAddress(state);
    return { status: 302, headers: { Location: `${root}/docs` }, body: null };
  };
