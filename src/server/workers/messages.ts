import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of a process, as they can be sent to another. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What all workers are to know; sent to a new one and whenever it changes. */
export interface Situation {
  /** Whether the database is prepared. */
  readonly ready: boolean;
  readonly logLevel: string;
  /** PEM strings; null: the one that the configuration gives. */
  readonly certificate: { readonly cert: string; readonly key: string } | null;
}

/** A message to a worker: the situation, a question for its metrics, or the two stages of its end. */
export type ToWorker =
  | { readonly situation: Situation }
  | { readonly metrics: number }
  | { readonly end: 'retire' | 'close' };

/** A message from a worker: that it listens or why it can't, or its metrics. */
export type FromWorker =
  | { readonly listening: number }
  | { readonly failed: { readonly message: string; readonly code?: string; readonly port?: number } }
  | { readonly id: number; readonly metrics: MetricValues };
