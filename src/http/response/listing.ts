import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Body, Json } from '../../core/reply.ts';
import type { Cells } from '../../core/representation.ts';
import type { Wire } from '../request/wire.ts';
import { newGzip } from './compression.ts';
import { encodeCallback, encodeEnvelope, escapeScript } from './envelope.ts';
import { type ListingEncoder, listingEncoder } from './json.ts';
import type { Spool, Spools } from './spool.ts';
import { envelopeElement, xmlFrame, xmlListingEncoder } from './xml.ts';

type Listing = Extract<Body, { kind: 'listing' }>;

export interface SpoolOptions {
  readonly spools: Spools;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * Writes a listing to a spool, batch by batch, in the form that goes out: compressed at once, unless an envelope has to be put
 * around it first. `hash` takes the bytes of the bare representation.
 */
export const spoolListing = (
  { representation, produce }: Listing,
  wire: Wire,
  gzip: boolean,
  newHash: () => Hash,
  { spools, signal }: SpoolOptions,
): Promise<{ readonly spool: Spool; readonly hash: Hash }> =>
  produce(async batches => {
    const spool = spools.open();
    const hash = newHash();
    const xml = wire.format === 'xml';
    const encoder = (nested: boolean) =>
      xml ? xmlListingEncoder(representation, nested) : listingEncoder(representation, nested ? 1 : 0);
    const [before, after] = xml ? xmlFrame(representation, element => element) : ['', ''];
    const bare = hashed(encoded(batches, encoder(false), before, after), hash);
    try {
      if (!wire.envelope) await pump(bare, gzip, spool, signal);
      else await pump(inside(batches, encoder(false), encoder(true), hash, before, after, wire), false, spool, signal);
      return { spool, hash };
    } catch (error) {
      await spool.close();
      throw error;
    }
  });

type Batches = AsyncIterable<readonly Cells[]>;

async function* encoded(batches: Batches, encoder: ListingEncoder, before: string, after: string) {
  yield Buffer.from(before);
  for await (const records of batches) yield Buffer.from(encoder.batch(records));
  yield Buffer.from(encoder.close() + after);
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The text inside of an envelope, while the bare one, which lies less deep, is hashed. */
async function* inside(
  batches: Batches,
  bare: ListingEncoder,
  nested: ListingEncoder,
  hash: Hash,
  before: string,
  after: string,
  { callback }: Wire,
) {
  const text = callback === null ? (json: string) => json : escapeScript;
  hash.update(before);
  for await (const records of batches) {
    hash.update(bare.batch(records));
    yield Buffer.from(text(nested.batch(records)));
  }
  hash.update(bare.close() + after);
  yield Buffer.from(nested.close());
}

const pump = (chunks: AsyncIterable<Buffer>, gzip: boolean, spool: Spool, signal: AbortSignal): Promise<void> => {
  const source = Readable.from(chunks, { objectMode: false });
  const sink = async (written: AsyncIterable<Buffer>) => {
    for await (const chunk of written) await spool.write(chunk);
  };
  return gzip ? pipeline(source, newGzip(), sink, { signal }) : pipeline(source, sink, { signal });
};

/** Puts the envelope around a spooled listing; the spool given is closed. */
export const spoolEnvelope = async (
  inner: Spool,
  { representation }: Listing,
  members: Readonly<Record<string, Json>>,
  { format, callback }: Wire,
  gzip: boolean,
  { spools, signal }: SpoolOptions,
): Promise<Spool> => {
  const outer = spools.open();
  const [before, after] =
    format === 'xml'
      ? xmlFrame(representation, element => envelopeElement(members, element))
      : jsonFrame(members, callback);
  const whole = async function* () {
    yield Buffer.from(before);
    yield* (inner.bytes ? Readable.from([inner.bytes]) : inner.stream()) as AsyncIterable<Buffer>;
    yield Buffer.from(after);
  };
  try {
    await pump(whole(), gzip, outer, signal);
    return outer;
  } catch (error) {
    await outer.close();
    throw error;
  } finally {
    await inner.close();
  }
};

const end = '\n}';

const jsonFrame = (members: Readonly<Record<string, Json>>, callback: string | null): [string, string] => {
  const json = encodeEnvelope(members, '');
  if (callback === null) return [json.slice(0, -end.length), end];
  const last = `${end});`;
  return [encodeCallback(callback, json).slice(0, -last.length), last];
};
