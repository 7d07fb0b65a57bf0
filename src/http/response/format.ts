import type { Encodable, Json } from '../../core/call/reply.ts';
import type { Cells, Representation } from '../../core/resource/representation.ts';

/** What is known of a listing before its records are read. */
export type Shape = Omit<Representation, 'records'>;

/** A listing in parts: `begin`, the strings of its batches and `end`, joined, are the whole. */
export interface ListingParts {
  readonly begin: string;
  batch(records: readonly Cells[]): string;
  /** To be called once, after the last batch. */
  end(): string;
}

/** What the operator of the service configures. */
export interface FormatSettings {
  /** Whether cells of CSV are changed that a spreadsheet would take for a formula. */
  readonly defuseCsv: boolean;
}

/** A format that listings have and no other response: their errors are JSON. */
export interface ListingFormat {
  /** The Content-Type header. */
  readonly contentType: string;
  listing(shape: Shape, settings: FormatSettings): ListingParts;
}

/** The members of an envelope beside `response`. */
export type EnvelopeMembers = Readonly<Record<string, Json>>;

/** What is put around a response when the client asks for an envelope. */
export interface EnvelopeFormat {
  readonly contentType: string;
  /** The envelope of a body; null: of none. */
  encode(members: EnvelopeMembers, body: Encodable | null): string;
  /** A listing inside of its envelope. */
  listing(shape: Shape): Omit<ListingParts, 'begin'>;
  /** The envelope before and behind the listing. */
  around(members: EnvelopeMembers, shape: Shape): readonly [before: string, after: string];
}

/** A format that every response has. */
export interface ResponseFormat extends ListingFormat {
  encode(body: Encodable): string;
  readonly envelope: EnvelopeFormat;
  /** The envelope as a script that passes it to a function; null: the format cannot be one. */
  readonly script: ((callback: string) => EnvelopeFormat) | null;
}
