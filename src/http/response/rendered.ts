import type { Readable } from 'node:stream';
import type { Wire } from '../request/wire.ts';
import type { Headers } from './envelope.ts';
import type { FormatSettings } from './format.ts';
import type { SpoolOptions } from './listing.ts';
import type { Spool } from './spool.ts';

/** What rendering reads of the request, beside its Wire. */
export interface RenderRequest {
  readonly wire: Wire;
  /** Null: not known (yet); such a response has no ETag. */
  readonly tenantId: number | null;
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly spooling: SpoolOptions;
  readonly settings: FormatSettings;
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** A response as it goes out. */
export interface Rendered {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Headers;
  /** Null: no body at all. */
  readonly bytes: Buffer | null;
  /** In place of the bytes: a body in a temporary file, which whoever sends it closes. */
  readonly spool?: Spool;
  /** In place of the bytes. */
  readonly stream?: Readable;
}
