import { createHash, type Hash } from 'node:crypto';

/**
 * Starts the hash of a strong entity tag: of the tenant's id and the bytes before compression.
 * The id prevents tenants from detecting by their tags that they have the same data.
 */
export const etagHash = (tenantId: number): Hash => createHash('sha1').update(`${tenantId}\n`);

/** The entity tag of a hash that has been updated with the representation. */
export const etagOf = (hash: Hash): string => `"${hash.digest('hex')}"`;

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
