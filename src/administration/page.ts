import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../core/errors.ts';
import type { InternalRequest, InternalResponse } from '../http/connection/internal/route.ts';
import { securityHeaders } from '../http/response/security-headers.ts';

/** The page loads everything from this server. Pico.css has its icons as data URLs. */
const headers = securityHeaders({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ['data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
});

const { resolve } = createRequire(import.meta.url);
const own = (name: string) => (): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');
/** A file of a package, beside one that the package lets be found. */
const packaged = (found: string, path: string) => (): string =>
  readFileSync(join(dirname(resolve(found)), path), 'utf8');

const scripts = [
  ...['app', 'api', 'parts', 'schema', 'tenants', 'users', 'fields', 'collections'],
  ...['automations', 'automation-form', 'requests'],
];
const script = 'text/javascript';

/** The files of the page: path → media type and content, read at the first request. */
const files: Readonly<Record<string, readonly [type: string, read: () => string]>> = {
  '/': ['text/html', own('index.html')],
  '/page/page.css': ['text/css', own('page.css')],
  '/page/pico.css': ['text/css', packaged('@picocss/pico/package.json', 'css/pico.min.css')],
  ...Object.fromEntries(scripts.map(name => [`/page/${name}.js`, [script, own(`${name}.js`)] as const])),
  '/page/preact.js': [script, packaged('preact/package.json', 'dist/preact.mjs')],
  // Browsers resolve no names of packages.
  '/page/hooks.js': [
    script,
    () => packaged('preact/package.json', 'hooks/dist/hooks.mjs')().replace(/from *"preact"/, 'from"./preact.js"'),
  ],
  '/page/htm.js': [script, packaged('htm', 'htm.module.js')],
};

const known = new Map<string, string>();

/** Serves the files of the administration page. @throws ApiError 404, 405 */
export const servePage = ({ method, path }: InternalRequest): InternalResponse => {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (!file) throw new ApiError('not_found');
  if (method !== 'GET') throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
  const [type, read] = file;
  const body = known.get(path) ?? read();
  known.set(path, body);
  return { status: 200, type, headers, body };
};
