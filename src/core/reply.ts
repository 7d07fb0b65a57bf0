import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.ts';
import type { Cells, Representation } from './representation.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What an answer carries. `name` is the root element of its XML form. */
export type Body =
  /** Rows of a resource, as the database gave them. */
  | { readonly kind: 'rows'; readonly representation: Representation }
  /**
   * A listing too long to be held in memory: `produce` reads its records in batches, in one snapshot. After a conflict it begins anew,
   * with another call of `consume`.
   */
  | {
      readonly kind: 'listing';
      readonly representation: Omit<Representation, 'records'>;
      readonly produce: <T>(consume: (batches: AsyncIterable<readonly Cells[]>) => Promise<T>) => Promise<T>;
    }
  /** A plain value: an error, an action's answer. */
  | { readonly kind: 'value'; readonly name: string; readonly value: Json }
  /** Bytes of another kind, sent as they are: the published document. */
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Buffer }
  /** Bytes that are not held in memory, of which a part may be asked for. */
  | StreamBody;

export interface StreamBody {
  readonly kind: 'stream';
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Differs wherever the bytes do; never shown. */
  readonly version: string;
  /** @param range positions of the first and the last byte; without it all of them */
  open(range?: ByteRange): Promise<Readable>;
}

/** The bodies that are encoded in memory. */
export type Encodable = Extract<Body, { readonly kind: 'rows' | 'value' }>;

/** The answer of a stage that ends the request; `render` turns it into bytes. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | null;
}
