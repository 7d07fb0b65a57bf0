import type { Tenant } from '../core/principal.ts';
import type { Files } from '../files/files.ts';

/** What actions need beside the database. */
export interface Services {
  readonly files: Files;
  /** Returns the host names of a tenant. */
  readonly hostsOf: (tenant: Tenant) => Promise<readonly string[]>;
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
