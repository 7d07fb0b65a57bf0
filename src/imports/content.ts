import type { Readable } from 'node:stream';
import type { Files } from '../files/files.ts';
import { type Header, parseHeader } from './csv.ts';
import { type ContentRecord, type FilePosition, recordLimit, splitRecords } from './records.ts';

/** Where the rows of an import are stored. */
export interface StoredFile {
  readonly tenantId: number;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** What precedes the rows. */
export interface Beginning {
  /** Null: the rows are NDJSON, or the content is empty. */
  readonly header: Header | null;
  /** Where the rows begin. */
  readonly place: FilePosition;
}

/** The format of the rows, by the media type of the body. */
export const formats = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;

export type ImportFormat = (typeof formats)[keyof typeof formats];

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads what precedes the rows: a byte order mark, and the header of CSV.
 * @throws ApiError validation_failed (422) for a malformed header
 */
export const readBeginning = async (files: Files, stored: StoredFile, format: ImportFormat): Promise<Beginning> => {
  const bytes = await readFirst(files, stored);
  const position = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  const begin = { position, lines: 0 };
  if (format === 'ndjson') return { header: null, place: begin };
  // No name of a field has a quote or line break, so that any delimiter finds the end of a valid header.
  for await (const { bytes: row, end } of splitRecords([bytes.subarray(position)], begin, COMMA, headerLimit))
    return { header: parseHeader(row), place: end };
  return { header: null, place: begin };
};

const COMMA = 0x2c;
/** Bytes that a header has at most. */
const headerLimit = 65_536;

const readFirst = async (files: Files, stored: StoredFile): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  const end = Math.min(stored.size, headerLimit + byteOrderMark.length + 1);
  for await (const chunk of (await open(files, stored, 0, end)) ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Opens the content between two positions; null if there is nothing. */
const open = async (files: Files, stored: StoredFile, start: number, end: number): Promise<Readable | null> =>
  start < end ? files.open(stored.tenantId, stored, { start, end: end - 1 }) : null;

/** Rows that are written in one transaction at most, and their bytes. */
export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Reads the rows after a place in batches. Nothing is left open when the caller ends the iteration.
 * @throws ApiError not_found (404), service_unavailable (503)
 */
export async function* readRows(
  files: Files,
  stored: StoredFile,
  place: FilePosition,
  header: Header | null,
  limits: BatchLimits,
): AsyncGenerator<readonly ContentRecord[]> {
  const content = await open(files, stored, place.position, stored.size);
  if (!content) return;
  const delimiter = header ? header.delimiter.charCodeAt(0) : null;
  let batch: ContentRecord[] = [];
  let bytes = 0;
  for await (const record of splitRecords(content, place, delimiter)) {
    batch.push(record);
    bytes += record.bytes?.length ?? recordLimit;
    if (batch.length < limits.rows && bytes < limits.bytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
