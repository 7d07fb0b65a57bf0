import type { InternalRoutes } from './internal/route.ts';

/**
 * Returns the route /readyz: whether the process can serve requests.
 * @param unready returns why it cannot (`starting`, `stopping`, `database`); null if it can
 */
export const healthRoutes = (unready: () => Promise<string | null>): InternalRoutes => ({
  'GET /readyz': async () => {
    const reason = await unready().catch(() => 'database');
    return reason === null
      ? { status: 200, body: { status: 'ready' } }
      : { status: 503, body: { status: 'unready', reason } };
  },
});
