import type { Readable } from 'node:stream';
import type { Json } from '../json/value.ts';
import type { Cells } from '../resource/cells.ts';
import type { Representation } from '../resource/representation.ts';
import type { ByteRange } from './byte-range.ts';

export type { Json };

/** The body of a response, before encoding. */
export type Body =
  | Rows
  | Listing
  | NamedValue
  /** Bytes that are sent as they are, such as the published OpenAPI document. */
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Buffer }
  | ReadyBody
  | StreamBody;

/** Records of a resource, as returned by the database. */
export interface Rows<Shown extends Representation = Representation> {
  readonly kind: 'rows';
  readonly representation: Shown;
}

/**
 * A listing too long to be held in memory.
 * `produce` reads its records in batches, from one snapshot unless all requests share one connection; if a conflict forces it to restart, it calls `consume` again.
 */
export interface Listing<Shown extends Representation = Representation> {
  readonly kind: 'listing';
  readonly representation: Omit<Shown, 'records'>;
  readonly produce: <T>(consume: (batches: AsyncIterable<readonly Cells[]>) => Promise<T>) => Promise<T>;
}

/** A JSON value, as returned by actions. */
export interface Value<T = Json> {
  readonly kind: 'value';
  readonly value: T;
}

/** A JSON value with the name of its root element in XML: an error, or the result of an action. */
export interface NamedValue extends Value {
  readonly name: string;
}

/** A body that is streamed instead of held in memory, and of which clients can request ranges. */
export interface StreamBody {
  readonly kind: 'stream';
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Identifies the bytes, for the entity tag; never sent itself. */
  readonly version: string;
  /** Opens the bytes, or a range of them. */
  open(range?: ByteRange): Promise<Readable>;
}

/** An encoded body, kept for repetitions of its request. */
export interface ReadyBody {
  readonly kind: 'ready';
  readonly type: string;
  /** The entity tag of the bytes before compression. */
  readonly etag: string;
  /** Whether the bytes are compressed. */
  readonly gzip: boolean;
  readonly bytes: Buffer;
}

/** The bodies that are encoded in memory. */
export type Encodable = Extract<Body, { readonly kind: 'rows' | 'value' }>;

/** The response with one record of a resource. */
export type ReplyOf<Name extends string> = Reply<200, Rows<Representation<Name, false>>>;

/** What the response to a read follows from: while it stays the same, so does the response. */
export interface ReadBasis {
  /** Names of the resources whose records it is read from. */
  readonly reads: ReadonlySet<string>;
  /** Until when it is right, in milliseconds since 1970; null: time alone does not change it. */
  readonly until: number | null;
}

/** A response before rendering: `send` encodes its body. */
export interface Reply<Status extends number = number, Content = Body | null> {
  readonly status: Status;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Content;
  /** What follows once the transaction of the request is committed, before the response is sent. */
  readonly followUp?: () => Promise<void>;
  /** Null or undefined: not known. */
  readonly basis?: ReadBasis | null;
}
