import { ApiError } from '../core/errors.ts';

/**
 * Parses a comma-separated list of distinct names (`fields`, `embed`).
 * @throws ApiError invalid_parameter (400) for an empty entry
 */
export const parseNames = (parameter: string, text: string): string[] => {
  const names = text.split(',').map(name => name.trim());
  if (names.includes('')) throw new ApiError('invalid_parameter', { message: `${parameter} contains an empty entry.` });
  return [...new Set(names)];
};
