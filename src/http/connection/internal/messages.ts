import type { InternalRequest, InternalResponse } from './route.ts';

/** What the thread of the internal port is started with. */
export interface ThreadOptions {
  readonly port: number;
  readonly host: string;
  /** PEM strings; null: plain HTTP only. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** One number, in milliseconds of the monotonic clock: when the main thread was last seen at work. */
  readonly heartbeat: SharedArrayBuffer;
}

/** A message from the thread of the internal port. */
export type FromThread =
  | { readonly listening: number }
  | { readonly failed: { readonly message: string; readonly code?: string; readonly port?: number } }
  | { readonly id: number; readonly request: InternalRequest };

/** A message to the thread of the internal port: a response, a new certificate, or null (close). */
export type ToThread =
  | { readonly id: number; readonly response: InternalResponse }
  | { readonly certificate: { readonly cert: string; readonly key: string } }
  | null;

/** Milliseconds of the monotonic clock, which all threads share. */
export const clock = (): bigint => process.hrtime.bigint() / 1_000_000n;
