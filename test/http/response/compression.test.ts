import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { GzipParts } from '../../../src/http/response/compression.ts';

const parts = fc.array(fc.uint8Array({ maxLength: 5_000 }), { minLength: 1, maxLength: 20 });

/** The file of these parts, in which no part's bytes are needed after it has been compressed. */
const fileOf = (all: readonly Uint8Array[]): Buffer => {
  const gzip = new GzipParts();
  const reused = Buffer.alloc(5_000);
  const compressed = all.map(part => {
    reused.set(part);
    return gzip.part(reused.subarray(0, part.length));
  });
  return Buffer.concat([...compressed, gzip.end()]);
};

describe('a gzip file that is compressed part by part', () => {
  it('is decompressed to its parts', () => {
    fc.assert(
      fc.property(parts, all => {
        assert.deepEqual(gunzipSync(fileOf(all)), Buffer.concat(all));
      }),
    );
  });

  it('is one file with the checksum and length of them all, since some clients end after the first of several', () => {
    fc.assert(
      fc.property(parts, all => {
        const file = fileOf(all);
        const whole = Buffer.concat(all);
        assert.deepEqual([...file.subarray(0, 4)], [0x1f, 0x8b, 8, 0]);
        assert.equal(file.readUInt32LE(file.length - 8), crc32(whole));
        assert.equal(file.readUInt32LE(file.length - 4), whole.length);
        const flipped = Buffer.from(file);
        flipped.writeUInt32LE((crc32(whole) ^ 1) >>> 0, file.length - 8);
        assert.throws(() => gunzipSync(flipped), { code: 'Z_DATA_ERROR' });
      }),
    );
  });
});
