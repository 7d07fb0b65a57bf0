import { extname } from 'node:path';
import { MIMEType } from 'node:util';
import { ApiError } from '../core/errors.ts';

/** The MIME type of unidentified content. */
export const unknownType = 'application/octet-stream';

/**
 * The MIME type of a Content-Type header, in lower case and without parameters.
 * Null if there is no header.
 * @throws ApiError unsupported_media_type (415) if the header is not a MIME type
 */
export const readType = (header: string | null): string | null => {
  if (header === null || header.trim() === '') return null;
  try {
    const { essence } = new MIMEType(header);
    if (essence.length <= 127 && !essence.includes('*')) return essence;
  } catch {}
  throw new ApiError('unsupported_media_type', {
    message: 'The Content-Type is not a MIME type.',
    description:
      'Send the type of the content, such as `application/pdf`, or omit Content-Type: the server then detects the type.',
  });
};

/** A detected file type. */
export interface Detected {
  readonly mime: string;
  /** Without a dot. */
  readonly extension: string;
}

/** Detects a file's type from its bytes; null if they identify none, as with all kinds of text. */
export const detectType = async (path: string): Promise<Detected | null> => {
  const { fileTypeFromFile } = await import('file-type');
  try {
    const found = await fileTypeFromFile(path);
    return found ? { mime: found.mime, extension: found.ext } : null;
  } catch {
    // The content is damaged, so its type is unknown.
    return null;
  }
};

/** Returns the type of a file name's extension; null if it has none, or an unknown one. */
export const typeOfName = async (name: string): Promise<string | null> => {
  if (extname(name) === '') return null;
  const { default: types } = await import('mime-types');
  return types.lookup(name) || null;
};

/** The type of content that is a text. */
export const textType = 'text/plain';

/** Returns whether content is UTF-8 without control characters other than tabs, line and page breaks. */
export const isText = async (content: AsyncIterable<Buffer>): Promise<boolean> => {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of content) if (controls.test(utf8.decode(chunk, { stream: true }))) return false;
    utf8.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it finds
const controls = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/;

/** Types that browsers never execute. */
const safe = new Set([
  'application/gzip',
  'application/json',
  'application/msword',
  'application/pdf',
  'application/rtf',
  'application/vnd.ms-excel',
  'application/vnd.ms-outlook',
  'application/vnd.ms-powerpoint',
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/zip',
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
  'text/calendar',
  'text/csv',
  'text/plain',
  'text/vcard',
  'video/mp4',
  'video/mpeg',
  'video/ogg',
  'video/quicktime',
  'video/webm',
]);

/**
 * The Content-Type of a download: the stored type if it is safe.
 * The stored type is only what the uploading client claimed.
 */
export const servedType = (mime: string): string => (safe.has(mime) ? mime : unknownType);
