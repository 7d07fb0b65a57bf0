import type { Readable } from 'node:stream';
import type { Wire } from '../request/wire.ts';
import type { Headers } from './envelope.ts';
import type { FormatSettings } from './format.ts';
import type { SpoolOptions } from './listing.ts';
import type { Spool } from './spool.ts';

/** The parts of a request that rendering depends on. */
export interface RenderRequest {
  readonly wire: Wire;
  /** Null if the tenant is unknown: such a response has no ETag. */
  readonly tenantId: number | null;
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly spooling: SpoolOptions;
  readonly settings: FormatSettings;
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** A response in its final form. */
export interface Rendered {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Headers;
  /** Null: no body, or one of the two below. */
  readonly bytes: Buffer | null;
  /** A body in a temporary file, instead of bytes; the sender closes it. */
  readonly spool?: Spool;
  /** A streamed body, instead of bytes. */
  readonly stream?: Readable;
}
