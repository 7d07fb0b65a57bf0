import { createHash, type Hash } from 'node:crypto';

/**
 * The strong entity tag of a representation: a hash of the tenant's id and the uncompressed bytes.
 * The id prevents tenants from detecting by their tags that they have the same data.
 */
export const etagOf = (tenantId: number, representation: string | Buffer): string =>
  etagOfHash(etagHash(tenantId).update(representation));

/** Starts the hash of an entity tag, to be updated with the representation's chunks. */
export const etagHash = (tenantId: number): Hash => createHash('sha1').update(`${tenantId}\n`);

/** The entity tag of a completed hash. */
export const etagOfHash = (hash: Hash): string => `"${hash.digest('hex')}"`;

/** The entity tag of a representation's gzip encoding, which must differ (RFC 9110, section 8.8.3.3). */
export const gzipEtag = (etag: string): string => `${etag.slice(0, -1)}-gzip"`;

/**
 * Whether an If-Match or If-None-Match header contains the tag or is `*`.
 * Ignores weakness and the gzip suffix. See docs/decisions.md, "Responses".
 */
export const matchesEtag = (header: string, etag: string): boolean => {
  if (header.trim() === '*') return true;
  for (const [, opaque = ''] of header.matchAll(/(?:W\/)?"([^"]*)"/g)) {
    if (`"${opaque.replace(/-gzip$/, '')}"` === etag) return true;
  }
  return false;
};
