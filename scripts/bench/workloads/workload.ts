import type { BenchTenant } from '../data.ts';

/** A request of the benchmark. */
export interface BenchRequest {
  readonly tenant: BenchTenant;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** What the contestants are asked. */
export interface Workload {
  readonly title: string;
  /**
   * The requests that a connection sends one after the other before the next number.
   * Nobody else sends the same number.
   * @param n from 0
   */
  requests(n: number, tenants: readonly BenchTenant[]): readonly BenchRequest[];
  /** The status of all responses. */
  readonly status: number;
  /** Whether requests have the If-None-Match of a response before. */
  readonly conditional?: true;
  /** Whether the requests of one number count as one. */
  readonly together?: true;
  /** Requests at once; default: 8. */
  readonly connections?: number;
  /** Rounds of the whole benchmark; default: as of the others. */
  readonly rounds?: number;
  /** Seconds of silence before each request. */
  readonly silence?: number;
  /** Whether it asks for the tenant of the workloads of listings, which no other one asks for. */
  readonly listed?: true;
}

/** The tenants that a workload asks for. */
export const askedTenants = ({ listed }: Workload, tenants: readonly BenchTenant[]): readonly BenchTenant[] =>
  tenants.filter(tenant => Boolean(tenant.listed) === Boolean(listed));
