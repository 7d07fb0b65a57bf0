import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import type { Tenant } from '../core/principal.ts';
import type { TenantDb } from '../db/database.ts';
import type { Wakeups } from '../db/journal/wakeups.ts';
import type { Files } from '../files/files.ts';
import type { Values } from './body.ts';

/** What the server provides for actions beside the database. */
export interface Services {
  readonly files: Files;
  /** Returns the host names of a tenant. */
  readonly hostsOf: (tenant: Tenant) => Promise<readonly string[]>;
  /** Waiting for entries of the journal. */
  readonly wakeups: Pick<Wakeups, 'wait' | 'share' | 'waitForConflicts' | 'stopped'>;
  /** Moves the clock of a sandbox to what it is due to be moved to, and runs what becomes due on the way. */
  readonly moveClock: (tenantId: number) => Promise<boolean>;
  readonly instance: Instance;
}

/** The versions of the service, and its limits on the requests of an API user. */
export interface Instance {
  readonly apiVersion: string;
  readonly serviceVersion: string;
  readonly limits: {
    /** Requests per `period` (seconds), unless the tenant has a limit of its own. */
    readonly requests: number;
    readonly period: number;
    readonly concurrency: number;
    /** In bytes. */
    readonly body: number;
    readonly json_depth: number;
    readonly url: number;
  };
}

/**
 * Updates a record as a PUT with this body would, whatever the request itself addresses.
 * Returns the response.
 * @param call the request that it is part of
 * @param db the database within a transaction of the request, or a rehearsal of it
 * @throws ApiError as that PUT
 */
export type Put = (
  target: { readonly resource: string; readonly id: number; readonly body: Values },
  call: Call,
  db: TenantDb,
) => Promise<Reply>;

/**
 * Reads for a request that lasts, with the call and the database as they are for its caller now.
 * The caller is confirmed before and after; if its view has changed in between, the read is repeated.
 * @throws ApiError as `Caller.confirm`; the errors of `read`
 */
export type ReadConfirmed = <T>(call: Call, db: TenantDb, read: (call: Call, db: TenantDb) => Promise<T>) => Promise<T>;

/** What actions need beside the database. */
export interface ActionServices extends Services {
  readonly put: Put;
  readonly readConfirmed: ReadConfirmed;
}
