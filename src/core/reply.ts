import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.ts';
import type { Cells, Representation } from './representation.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What an answer carries. */
export type Body =
  | Rows
  | Listing
  | NamedValue
  /** Bytes of another kind, sent as they are: the published document. */
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Buffer }
  /** Bytes that are not held in memory, of which a part may be asked for. */
  | StreamBody;

/** Rows of a resource, as the database gave them. */
export interface Rows<Shown extends Representation = Representation> {
  readonly kind: 'rows';
  readonly representation: Shown;
}

/**
 * A listing too long to be held in memory: `produce` reads its records in batches, in one snapshot. After a conflict it begins anew,
 * with another call of `consume`.
 */
export interface Listing<Shown extends Representation = Representation> {
  readonly kind: 'listing';
  readonly representation: Omit<Shown, 'records'>;
  readonly produce: <T>(consume: (batches: AsyncIterable<readonly Cells[]>) => Promise<T>) => Promise<T>;
}

/** A plain value: what an action returns. */
export interface Value<T = Json> {
  readonly kind: 'value';
  readonly value: T;
}

/** A plain value with the name of its root element in XML: an error, or an action's value under the name that the spec gives it. */
export interface NamedValue extends Value {
  readonly name: string;
}

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

/** One record of a resource. */
export type Shown<Name extends string> = Reply<200, Rows<Representation<Name, false>>>;

/** The answer of a stage that ends the request; `render` turns it into bytes. */
export interface Reply<Status extends number = number, Content = Body | null> {
  readonly status: Status;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Content;
}
