import { closest, distance } from 'fastest-levenshtein';
import { ApiError } from './errors.ts';

/**
 * Parses a comma-separated list of distinct names (`fields`, `embed`).
 * @throws ApiError invalid_parameter (400) for an empty entry
 */
export const parseNames = (parameter: string, text: string): string[] => {
  const names = text.split(',').map(name => name.trim());
  if (names.includes('')) throw new ApiError('invalid_parameter', { message: `${parameter} contains an empty entry.` });
  return [...new Set(names)];
};

/** The query parameters of listings that are not filters. */
export const parameterNames: readonly string[] = [
  'fields',
  'sort',
  'embed',
  'limit',
  'cursor',
  'count',
  'envelope',
  'callback',
];

/** The hint ` Did you mean x?` if a known name is similar to `name`; otherwise an empty string. */
export const suggestion = (name: string, known: readonly string[]): string => {
  if (name.length > 64 || known.length === 0) return '';
  const near = closest(name, known);
  return distance(name, near) <= Math.max(2, name.length / 3) ? ` Did you mean ${near}?` : '';
};
