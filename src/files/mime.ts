import { MIMEType } from 'node:util';
import { fileTypeFromFile } from 'file-type';
import { ApiError } from '../core/errors.ts';

/** The type of a content that nothing is known of. */
export const unknownType = 'application/octet-stream';

/**
 * The type that a Content-Type header names, in lower case and without parameters; null: there is no header.
 * @throws ApiError unsupported_media_type (415) if it names none
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
      'Send the type of the content, such as `application/pdf`, or no Content-Type: the content is then looked at.',
  });
};

export interface Detected {
  readonly mime: string;
  /** Without a dot. */
  readonly extension: string;
}

/** What a file is by its content; null: nothing that is known by its bytes, as all kinds of text are not. */
export const detectType = async (path: string): Promise<Detected | null> => {
  try {
    const found = await fileTypeFromFile(path);
    return found ? { mime: found.mime, extension: found.ext } : null;
  } catch {
    // A damaged content is one that nothing is known of.
    return null;
  }
};

/** Types whose content no browser runs, whatever is in it. */
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

/** The type that a download is sent with: the stored one is what someone has claimed. */
export const servedType = (mime: string): string => (safe.has(mime) ? mime : unknownType);
