import { decodeRecord } from '../decode.ts';
import type { ListingFormat } from '../formats.ts';

/** NDJSON: one JSON object per line, embedded records included. */
export const ndjson: ListingFormat = {
  contentType: 'application/x-ndjson',
  listing: ({ members }) => ({
    begin: '',
    batch: records => records.map(record => `${JSON.stringify(decodeRecord(members, record))}\n`).join(''),
    end: () => '',
  }),
};
