import type { Hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Listing } from '../../core/call/reply.ts';
import { chunksOf } from '../../core/chunks.ts';
import type { Cells } from '../../core/resource/cells.ts';
import { GzipParts } from './compression.ts';
import type { EnvelopeFormat, EnvelopeMembers, ListingParts } from './formats.ts';
import type { Spool, Spools } from './spool.ts';

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
 * Writes a listing to a spool, batch by batch, in its final form.
 * Compressed immediately, unless an envelope is to be added first. `hash` is that of the bare representation.
 */
export const spoolListing = (
  { representation, produce }: Listing,
  { parts, envelope, gzip }: ListingForm,
  newHash: () => Hash,
  { spools, signal }: SpoolOptions,
): Promise<{ readonly spool: Spool; readonly hash: Hash }> =>
  produce(batches =>
    filled(spools.open(), async spool => {
      const hash = newHash();
      const sink = sinkOf(spool, gzip && !envelope);
      const bare = parts();
      const nested = envelope?.listing(representation) ?? null;
      hash.update(bare.begin);
      if (!nested) await sink.write(bytesOf(bare.begin));
      for await (const records of batches)
        for (const slice of chunksOf(records, sliceSize)) {
          signal.throwIfAborted();
          const encoded = bare.batch(slice);
          hash.update(encoded);
          await sink.write(bytesOf(nested ? nested.batch(slice) : encoded));
          // Lets other requests go first.
          await setImmediate();
        }
      const end = bare.end();
      hash.update(end);
      await sink.write(bytesOf(nested ? nested.end() : end));
      await sink.end();
      return { spool, hash };
    }),
  );

/** Fills a spool, which is closed if that fails. */
const filled = async <T>(spool: Spool, fill: (spool: Spool) => Promise<T>): Promise<T> => {
  try {
    return await fill(spool);
  } catch (error) {
    await spool.close();
    throw error;
  }
};

/** What takes bytes that may be overwritten afterwards. */
interface Sink {
  write(bytes: Buffer): Promise<void>;
  /** Call once, after the last bytes. */
  end(): Promise<void>;
}

/** Returns what writes bytes to a spool as they are, or compressed. */
const sinkOf = (spool: Spool, gzip: boolean): Sink => {
  if (!gzip) return { write: bytes => spool.write(Buffer.from(bytes)), end: async () => {} };
  const member = new GzipParts();
  return { write: bytes => spool.write(member.part(bytes)), end: () => spool.write(member.end()) };
};

/** Number of records that are encoded at once: a few milliseconds of work, even for wide records. */
const sliceSize = 50;

/** Encodes a listing that is in memory. */
export const encodeListing = async (
  { begin, batch, end }: ListingParts,
  records: readonly Cells[],
): Promise<Buffer> => {
  const slices = chunksOf(records, sliceSize);
  const encoded: Buffer[] = [];
  for (const slice of slices.slice(0, -1)) {
    encoded.push(Buffer.from(batch(slice)));
    await setImmediate();
  }
  // Not copied: nothing else is encoded before all are put together.
  return Buffer.concat([begin, ...encoded, ...slices.slice(-1).map(batch), end()].map(bytesOf));
};

const bytesOf = (encoded: string | Buffer): Buffer => (typeof encoded === 'string' ? Buffer.from(encoded) : encoded);

/** Writes a spooled listing with its envelope to a new spool; closes `inner`. */
export const spoolEnvelope = async (
  inner: Spool,
  { representation }: Listing,
  members: EnvelopeMembers,
  envelope: EnvelopeFormat,
  gzip: boolean,
  { spools, signal }: SpoolOptions,
): Promise<Spool> => {
  const [before, after] = envelope.around(members, representation);
  try {
    return await filled(spools.open(), async outer => {
      const sink = sinkOf(outer, gzip);
      await sink.write(bytesOf(before));
      for await (const chunk of inner.bytes ? [inner.bytes] : inner.stream()) {
        signal.throwIfAborted();
        await sink.write(chunk);
      }
      await sink.write(bytesOf(after));
      await sink.end();
      return outer;
    });
  } finally {
    await inner.close();
  }
};
