import { createHash, type Hash } from 'node:crypto';

/**
 * The strong entity tag of a representation: a hash of its uncompressed bytes and of the tenant whose it is, so that no tenant can
 * tell another's data by a tag.
 */
export const etagOf = (tenantId: number, representation: string | Buffer): string =>
  etagOfHash(etagHash(tenantId).update(representation));

/** The hash of a tenant's entity tag, which takes the representation in parts. */
export const etagHash = (tenantId: number): Hash => createHash('sha1').update(`${tenantId}\n`);

export const etagOfHash = (hash: Hash): string => `"${hash.digest('hex')}"`;

/** The tag of the representation's gzip form, which has other bytes (RFC 9110, section 8.8.3.3). */
export const gzipEtag = (etag: string): string => `${etag.slice(0, -1)}-gzip"`;

/**
 * Whether the list of an If-Match or If-None-Match header has the tag, or is `*`. Weakness and the gzip form make no difference.
 */
export const matchesEtag = (header: string, etag: string): boolean => {
  if (header.trim() === '*') return true;
  for (const [, opaque = ''] of header.matchAll(/(?:W\/)?"([^"]*)"/g)) {
    if (`"${opaque.replace(/-gzip$/, '')}"` === etag) return true;
  }
  return false;
};
