import Router from '@koa/router';
import Koa from 'koa';

/** The state that the internal port reports to an orchestrator. */
export interface Health {
  /** Returns why the instance cannot serve requests (`starting`, `stopping`, `database`); null if it can. */
  readonly unready: () => Promise<string | null>;
}

/** Creates the app of the internal port: /livez (the process runs) and /readyz (it can serve requests). */
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
