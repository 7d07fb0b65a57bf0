import { closest, distance } from 'fastest-levenshtein';
import { ApiError } from './errors.ts';

/** Parses a comma-separated list of names (`fields`, `embed`); each counts once. An empty entry is `invalid_parameter`. */
export const parseNames = (parameter: string, text: string): string[] => {
  const names = text.split(',').map(name => name.trim());
  if (names.includes('')) throw new ApiError('invalid_parameter', { message: `${parameter} has an empty entry.` });
  return [...new Set(names)];
};

/** The parameters of listings that are not fields. */
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

/** ` Did you mean x?`, if one of the known names is near enough to be a slip of the one given; otherwise nothing. */
export const suggestion = (name: string, known: readonly string[]): string => {
  if (name.length > 64 || known.length === 0) return '';
  const near = closest(name, known);
  return distance(name, near) <= Math.max(2, name.length / 3) ? ` Did you mean ${near}?` : '';
};
