import Router from '@koa/router';
import Koa from 'koa';

/** What the internal port tells an orchestrator. */
export interface Health {
  /** Why no requests should be sent here, in one word (`starting`, `stopping`, `database`); null: they may. */
  readonly unready: () => Promise<string | null>;
}

/** The internal port's pages: /livez while the process lives, /readyz while it can serve. */
export const createInternalApp = ({ unready }: Health): Koa => {
  const router = new Router({ strict: true });
  router.get('/livez', ctx => {
    ctx.body = { status: 'alive' };
  });
  router.get('/readyz', async ctx => {
    const reason = await unready().catch(() => 'database');
    ctx.status = reason === null ? 200 : 503;
    ctx.body = reason === null ? { status: 'ready' } : { status: 'unready', reason };
  });
  const app = new Koa();
  app.use(async (ctx, next) => {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await next();
  });
  app.use(router.routes());
  return app;
};
