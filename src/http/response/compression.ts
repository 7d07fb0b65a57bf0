import { promisify } from 'node:util';
import { createGzip, type Gzip, gzip, gzipSync } from 'node:zlib';

/** Whether a request's Accept-Encoding lets gzip through: without the header it does (RFC 9110, section 12.5.3). */
export const acceptsGzip = (header: string | undefined): boolean => {
  if (header === undefined) return true;
  const weights = new Map<string, number>();
  for (const entry of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    if (coding) weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const weight = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*');
  // Nothing but `identity;q=0` says: anything coded.
  return weight === undefined ? weights.get('identity') === 0 : weight > 0;
};

/** Level 3 takes hardly longer than 1 and a third of the default's time. */
const level = 3;
/** Bytes up to which compressing at once is cheaper than handing over to another thread. */
const small = 65_536;
const inBackground = promisify<Buffer, { level: number }, Buffer>(gzip);

export const compress = async (bytes: Buffer): Promise<Buffer> =>
  bytes.length <= small ? gzipSync(bytes, { level }) : inBackground(bytes, { level });

/** The same for a stream. */
export const newGzip = (): Gzip => createGzip({ level });

const kept = new WeakMap<Buffer, Promise<Buffer>>();

/** The same for bytes that are sent again and again: compressed once for as long as the buffer lives. */
export const compressKept = (bytes: Buffer): Promise<Buffer> => {
  let compressed = kept.get(bytes);
  if (!compressed) {
    compressed = compress(bytes);
    kept.set(bytes, compressed);
  }
  return compressed;
};
