import { listingFormats, responseFormats } from '../../../generated/formats.ts';
import type { ListingFormat, ResponseFormat } from './format.ts';

/** A format, by the path extension that requests it. */
export type Format = keyof typeof responseFormats | keyof typeof listingFormats;

const forListings: Readonly<Record<Format, ListingFormat>> = { ...responseFormats, ...listingFormats };
const forAll: Readonly<Partial<Record<Format, ResponseFormat>>> = responseFormats;

/** The format of a path without an extension. */
export const defaultFormat = 'json' satisfies Format;

/** Returns whether a path extension is a format. */
export const isFormat = (name: string): name is Format => Object.hasOwn(forListings, name);

/** Returns whether the format is for listings only. */
export const isForListings = (format: Format): boolean => forAll[format] === undefined;

/** Returns whether the format supports JSONP. */
export const takesCallback = (format: Format): boolean => Boolean(forAll[format]?.script);

/** Returns the encoder of listings in the format. */
export const listingFormat = (format: Format): ListingFormat => forListings[format];

/** Returns the media type of listings in the format, as in the OpenAPI document. */
export const mediaType = (format: Format): string => forListings[format].contentType.replace(/;.*/, '');

/** Returns the encoder of other responses: the default format's if the format is for listings only. */
export const responseFormat = (format: Format): ResponseFormat => forAll[format] ?? responseFormats[defaultFormat];
