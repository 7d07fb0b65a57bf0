import koaCors from '@koa/cors';
import type { Reply } from '../../core/call/reply.ts';
import type { Exchange } from '../request/state.ts';

/** The headers that scripts may read. */
const exposed = [
  'ETag',
  'Location',
  'Link',
  'X-Total-Count',
  'X-Request-Id',
  'Retry-After',
  'Deprecation',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'Idempotency-Replayed',
  'X-Warnings',
  'X-Position',
  'X-Rate-Limit-Limit',
  'X-Rate-Limit-Remaining',
  'X-Rate-Limit-Reset',
];

/** The CORS headers of all responses but those to preflight requests. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed.join(','),
};

const middleware = koaCors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowHeaders: [
    'Authorization',
    'Content-Type',
    'X-HTTP-Method-Override',
    'X-File-Name',
    'X-File-Visibility',
    'If-Match',
    'If-None-Match',
    'Range',
    'If-Range',
    'Idempotency-Key',
    'X-Request-Id',
  ],
  exposeHeaders: exposed,
  maxAge: 86_400,
  keepHeadersOnError: false,
});

/** Returns the reply to any OPTIONS request of a known tenant: preflight requests have no token. */
export const preflight = async (ctx: Exchange): Promise<Reply> => {
  await middleware(ctx, async () => ctx.set('Access-Control-Allow-Origin', '*'));
  const headers = Object.entries(ctx.response.headers).map(([name, value]) => [name, String(value)]);
  return { status: 204, headers: Object.fromEntries(headers), body: null };
};
