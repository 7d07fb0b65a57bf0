import { listingFormats, responseFormats } from '../../../generated/formats.ts';
import type { ListingFormat, ResponseFormat } from './format.ts';

/** The extension of a path that asks for a format. */
export type Format = keyof typeof responseFormats | keyof typeof listingFormats;

const forListings: Readonly<Record<Format, ListingFormat>> = { ...responseFormats, ...listingFormats };
const forAll: Readonly<Partial<Record<Format, ResponseFormat>>> = responseFormats;

/** The format of a path without an extension. */
export const defaultFormat = 'json' satisfies Format;

export const isFormat = (name: string): name is Format => Object.hasOwn(forListings, name);

/** Whether only listings have the format. */
export const isForListings = (format: Format): boolean => forAll[format] === undefined;

/** Whether responses in the format can be passed to a function of a script. */
export const takesCallback = (format: Format): boolean => Boolean(forAll[format]?.script);

/** The format of a listing. */
export const listingFormat = (format: Format): ListingFormat => forListings[format];

/** The media type of listings in the format, as the document has it. */
export const mediaType = (format: Format): string => forListings[format].contentType.replace(/;.*/, '');

/** The format of any other response: the default one in place of a format that only listings have. */
export const responseFormat = (format: Format): ResponseFormat => forAll[format] ?? responseFormats[defaultFormat];
