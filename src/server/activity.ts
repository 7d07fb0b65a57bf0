import type { Logger } from 'pino';
import type { Database } from '../db/open.ts';
import type { Finished } from '../http/request/log.ts';
import { createActivity } from '../tenancy/activity.ts';

/** The record of tenants' requests, for the administration. */
export type ActivityRecorder = ReturnType<typeof startActivity>;

/** Milliseconds between two writes. */
const pause = 10_000;
const classes: readonly string[] = ['list', 'read', 'create', 'update', 'delete'];

/** Starts recording: requests are counted in memory and written at intervals. */
export const startActivity = (database: Database, log: Logger, interval = pause) => {
  const activity = createActivity(database, error => log.warn({ err: error }, 'The usage could not be written.'));
  let writing = Promise.resolve();
  const flush = () => {
    writing = writing.then(activity.flush);
    return writing;
  };
  const timer = setInterval(() => void flush(), interval).unref();
  return {
    /** Records a request that has been responded to. */
    observe({ tenantId, principal, verb, method, operation, path, status, code, ms, requestId }: Finished): void {
      if (tenantId === null) return;
      const id = principal && principal.apiUser.id > 0 ? principal.apiUser.id : null;
      activity.record({
        tenantId,
        apiUserId: id,
        tokenId: principal?.tokenId || null,
        method,
        operation,
        path,
        class: path === null ? 'unknown' : classOf(operation === null ? 'read' : verb),
        status,
        code,
        milliseconds: Math.round(ms),
        requestId,
      });
    },
    /** Writes what has been recorded. */
    flush,
    /** Stops writing at intervals, after a last time. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
};

const classOf = (verb: string | null): string => {
  if (verb === 'upsert') return 'update';
  return verb !== null && classes.includes(verb) ? verb : 'action';
};
