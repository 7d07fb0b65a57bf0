import iconv from 'iconv-lite';
import type { PayrollFileFormat } from './format.ts';

type Encoding = PayrollFileFormat['encoding'];

/** The bytes that a file of an encoding begins with. */
export const markOf = (encoding: Encoding): Buffer => Buffer.from(encoding === 'utf-8-bom' ? '\ufeff' : '');

/** Returns the bytes of a text; characters that the encoding lacks must not be in it. */
export const encode = (text: string, encoding: Encoding): Buffer =>
  encoding === 'windows-1252' ? iconv.encode(text, 'windows-1252') : Buffer.from(text);

/** Whether the encoding has all characters of a text. */
export const isEncodable = (text: string, encoding: Encoding): boolean =>
  encoding === 'windows-1252'
    ? iconv.decode(iconv.encode(text, 'windows-1252'), 'windows-1252') === text
    : text.isWellFormed();
