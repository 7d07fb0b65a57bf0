import type { Encodable, Json } from '../../core/call/reply.ts';
import type { Cells } from '../../core/resource/cells.ts';
import type { Shape } from '../../core/resource/representation.ts';

/** Encodes a listing in parts: the concatenation of `begin`, all batches and `end`. */
export interface ListingParts {
  readonly begin: string;
  /** Bytes are overwritten by what is encoded next, of any response. */
  batch(records: readonly Cells[]): string | Buffer;
  /** Call once, after the last batch. */
  end(): string;
}

/** Format settings of the service's configuration. */
export interface FormatSettings {
  /** Whether CSV cells are changed that a spreadsheet would read as a formula. */
  readonly defuseCsv: boolean;
}

/** A format for listings only: their errors are JSON. */
export interface ListingFormat {
  /** The Content-Type header. */
  readonly contentType: string;
  listing(shape: Shape, settings: FormatSettings): ListingParts;
}

/** The members of an envelope beside `response`. */
export type EnvelopeMembers = Readonly<Record<string, Json>>;

/** Encodes the envelope around a response, if the client requests one. */
export interface EnvelopeFormat {
  readonly contentType: string;
  /** Returns the envelope with a body; null: without one. */
  encode(members: EnvelopeMembers, body: Encodable | null): string;
  /** Encodes a listing inside of an envelope. */
  listing(shape: Shape): Omit<ListingParts, 'begin'>;
  /** Returns the parts of the envelope before and after the listing. */
  around(members: EnvelopeMembers, shape: Shape): readonly [before: string, after: string];
}

/** A format for all responses. */
export interface ResponseFormat extends ListingFormat {
  encode(body: Encodable): string | Buffer;
  readonly envelope: EnvelopeFormat;
  /** Returns the envelope as a script that calls a function (JSONP); null: not supported. */
  readonly script: ((callback: string) => EnvelopeFormat) | null;
}

/** A format as a request asks for it. */
export interface Format {
  /** The path extension that requests it. */
  readonly name: string;
  readonly listing: ListingFormat;
  /** Whether it is for listings only. */
  readonly forListings: boolean;
  /** The encoder of other responses: the default format's if the format is for listings only. */
  readonly response: ResponseFormat;
}

/** Returns the media type of listings in the format, as in the OpenAPI document. */
export const mediaType = ({ listing }: Format): string => listing.contentType.replace(/;.*/, '');
