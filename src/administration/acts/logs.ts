import { ApiError } from '../../core/errors.ts';
import { readRefused, readUsage } from '../../tenancy/activity.ts';
import { readLog } from '../../tenancy/administration-log.ts';
import type { HandlersOf } from '../api/handler.ts';
import type { AdministrationParts } from './parts.ts';

type LogHandlers = HandlersOf<'me' | 'requests' | 'log'>;

/** Returns the handlers of operations on what is known of requests and of administrators. */
export const logHandlers = ({ database }: AdministrationParts): LogHandlers => ({
  me_read: async ({ administrator: { id, name, tenant, expiresAt } }) => ({
    id,
    name,
    role: tenant === null ? 'operator' : 'tenant',
    tenant,
    expires_at: expiresAt.toISOString(),
  }),

  requests_listRefused: ({ tenant, query: { limit = 100 } }) => readRefused(database, tenant.id, limit),

  requests_readUsage: async ({ tenant, query: { days = 30 } }) =>
    (await readUsage(database, tenant.id, days)) as Awaited<ReturnType<LogHandlers['requests_readUsage']>>,

  log_list: async ({ administrator, query: { limit = 100, before } }) => {
    if (administrator.tenant !== null) throw new ApiError('forbidden', { message: 'Only operators read the log.' });
    return readLog(database, { limit, before });
  },
});
