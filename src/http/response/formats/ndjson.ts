import { encodeLines } from '../../../core/json/records.ts';
import type { ListingFormat } from '../formats.ts';

/** NDJSON: one JSON object per line, embedded records included. */
export const ndjson: ListingFormat = {
  contentType: 'application/x-ndjson',
  listing: shape => ({ begin: '', batch: records => encodeLines(shape, records), end: () => '' }),
};
