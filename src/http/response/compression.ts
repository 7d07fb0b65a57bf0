import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, crc32, createGzip, deflateRawSync, gzip, gzipSync } from 'node:zlib';
import { cachedBy } from '../../core/cached.ts';

/**
 * Returns whether an Accept-Encoding header allows gzip.
 * A missing header does (RFC 9110, section 12.5.3). See docs/decisions.md, "Responses".
 */
export const acceptsGzip = (header: string | undefined): boolean => {
  if (header === undefined) return true;
  const weights = new Map<string, number>();
  for (const entry of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    if (coding) weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const weight = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*');
  // `identity;q=0` alone requires some coding.
  return weight === undefined ? weights.get('identity') === 0 : weight > 0;
};

/** Level 3 takes hardly longer than level 1, and a third of the default level's time. */
const level = 3;
/**
 * Up to this number of bytes, which take less than a millisecond, they are compressed at once.
 * Handing them over to the thread pool and back takes as long as compressing 100 KiB.
 */
const small = 262_144;
/** Up to this number of bytes a small window and small tables do: larger ones take longer to prepare. */
const tiny = 4_096;
const inBackground = promisify<Buffer, { level: number }, Buffer>(gzip);

/** Returns the bytes compressed with gzip. */
export const compress = async (bytes: Buffer): Promise<Buffer> => {
  if (bytes.length <= tiny) return gzipSync(bytes, { level, windowBits: 12, memLevel: 5, chunkSize: tiny });
  return bytes.length <= small ? gzipSync(bytes, { level }) : inBackground(bytes, { level });
};

/**
 * A gzip file (RFC 1952) that is compressed part by part, each at once.
 * A stream would hand every part over to the thread pool, copy it, and wait for it. Each part is compressed by itself, so that it should
 * have some kilobytes.
 */
export class GzipParts {
  #begun = false;
  #checksum = 0;
  #length = 0;

  /** Returns the next bytes of the file. */
  part(bytes: Buffer): Buffer {
    this.#checksum = crc32(bytes, this.#checksum);
    this.#length += bytes.length;
    const compressed = deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH });
    const first = !this.#begun;
    this.#begun = true;
    return first ? Buffer.concat([header, compressed]) : compressed;
  }

  /** Returns the last bytes of the file, after at least one part. */
  end(): Buffer {
    const trailer = Buffer.alloc(emptyBlock.length + 8);
    trailer.set(emptyBlock);
    trailer.writeUInt32LE(this.#checksum, emptyBlock.length);
    // Modulo 2^32, as the format wants it.
    trailer.writeUInt32LE(this.#length % 2 ** 32, emptyBlock.length + 4);
    return trailer;
  }
}

/** Of a file without name and time, compressed with deflate, by an unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** The last block of a deflate stream (RFC 1951), without any bytes. */
const emptyBlock = Buffer.from([3, 0]);

/** Returns the compressed form of repeated bytes, cached for as long as the buffer exists. */
export const compressKept = cachedBy(compress);

/** Returns the compressed stream; an error of the source destroys it, which its reader handles. */
export const compressStream = (source: Readable): Readable =>
  pipeline(
    source,
    createGzip({ level: 3 }).on('error', () => {}),
    () => {},
  );
