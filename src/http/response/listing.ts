import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Body } from '../../core/call/reply.ts';
import type { Cells } from '../../core/resource/cells.ts';
import { newGzip } from './compression.ts';
import type { EnvelopeFormat, EnvelopeMembers, ListingParts } from './format.ts';
import type { Spool, Spools } from './spool.ts';

export type Listing = Extract<Body, { kind: 'listing' }>;

export interface SpoolOptions {
  readonly spools: Spools;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** How a listing is encoded. */
export interface ListingForm {
  /** Returns a new encoder of the bare listing, whose bytes are hashed. */
  readonly parts: () => ListingParts;
  /** Null: no envelope. */
  readonly envelope: EnvelopeFormat | null;
  readonly gzip: boolean;
}

/**
 * Writes a listing to a spool, batch by batch, in its final form: compressed immediately, unless an envelope is to be
 * added first. `hash` is that of the bare representation.
 */
export const spoolListing = (
  { representation, produce }: Listing,
  { parts, envelope, gzip }: ListingForm,
  newHash: () => Hash,
  { spools, signal }: SpoolOptions,
): Promise<{ readonly spool: Spool; readonly hash: Hash }> =>
  produce(async batches => {
    const spool = spools.open();
    const hash = newHash();
    try {
      if (!envelope) await pump(hashed(encoded(batches, parts()), hash), gzip, spool, signal);
      else await pump(inside(batches, parts(), envelope.listing(representation), hash), false, spool, signal);
      return { spool, hash };
    } catch (error) {
      await spool.close();
      throw error;
    }
  });

type Batches = AsyncIterable<readonly Cells[]>;

/** Number of records that are encoded at once: a few milliseconds of work, even for wide records. */
const sliceSize = 50;

/** Yields records in slices, and lets other requests go first before each further one. */
async function* slicesOf(records: readonly Cells[]): AsyncGenerator<readonly Cells[]> {
  for (let start = 0; start < records.length; start += sliceSize) {
    if (start > 0) await setImmediate();
    yield records.slice(start, start + sliceSize);
  }
}

/** Encodes a listing that is in memory. */
export const encodeListing = async (
  { begin, batch, end }: ListingParts,
  records: readonly Cells[],
): Promise<Buffer> => {
  const parts = [bytesOf(begin)];
  for await (const slice of slicesOf(records)) parts.push(bytesOf(batch(slice)));
  return Buffer.concat([...parts, bytesOf(end())]);
};

const bytesOf = (encoded: string | Buffer): Buffer => (typeof encoded === 'string' ? Buffer.from(encoded) : encoded);

async function* encoded(batches: Batches, parts: ListingParts) {
  yield Buffer.from(parts.begin);
  for await (const records of sliced(batches)) yield bytesOf(parts.batch(records));
  yield Buffer.from(parts.end());
}

async function* sliced(batches: Batches) {
  for await (const records of batches) yield* slicesOf(records);
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Yields the listing as nested in an envelope, and hashes the bare listing, which has less indentation. */
async function* inside(batches: Batches, bare: ListingParts, nested: Omit<ListingParts, 'begin'>, hash: Hash) {
  hash.update(bare.begin);
  for await (const records of sliced(batches)) {
    hash.update(bare.batch(records));
    yield bytesOf(nested.batch(records));
  }
  hash.update(bare.end());
  yield Buffer.from(nested.end());
}

const pump = (chunks: AsyncIterable<Buffer>, gzip: boolean, spool: Spool, signal: AbortSignal): Promise<void> => {
  const source = Readable.from(chunks, { objectMode: false });
  const sink = async (written: AsyncIterable<Buffer>) => {
    for await (const chunk of written) await spool.write(chunk);
  };
  return gzip ? pipeline(source, newGzip(), sink, { signal }) : pipeline(source, sink, { signal });
};

/** Writes a spooled listing with its envelope to a new spool; closes `inner`. */
export const spoolEnvelope = async (
  inner: Spool,
  { representation }: Listing,
  members: EnvelopeMembers,
  envelope: EnvelopeFormat,
  gzip: boolean,
  { spools, signal }: SpoolOptions,
): Promise<Spool> => {
  const outer = spools.open();
  const [before, after] = envelope.around(members, representation);
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
