import type { InternalRoutes } from './internal/route.ts';

/** The state that the internal port reports to an orchestrator. */
export interface Health {
  /** Returns why the instance cannot serve requests (`starting`, `stopping`, `database`); null if it can. */
  readonly unready: () => Promise<string | null>;
}

/** Returns the route /readyz: whether the process can serve requests. */
export const healthRoutes = ({ unready }: Health): InternalRoutes => ({
  'GET /readyz': async () => {
    const reason = await unready().catch(() => 'database');
    return reason === null
      ? { status: 200, body: { status: 'ready' } }
      : { status: 503, body: { status: 'unready', reason } };
  },
});
