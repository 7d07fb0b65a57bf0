import type { Parameter } from './call/parameter.ts';
import { ApiError } from './errors.ts';

/**
 * Parses an id from 1 to 2^53 - 1 in canonical decimal form; null if the string is not one.
 * See docs/decisions.md, "Requests".
 */
export const parseId = (text: string): number | null => {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
};

const LIMIT = 500;

/**
 * The distinct ids in the query parameter `id`, separated by commas.
 * @throws ApiError invalid_parameter (400) if there is none, one is malformed, or there are more than 500
 */
export const idsOf = (parameters: readonly Parameter[]): readonly number[] => {
  const texts = parameters.filter(([name]) => name === 'id').flatMap(([, text]) => text.split(','));
  const ids = texts.map(text => parseId(text.trim()));
  if (ids.length === 0 || ids.includes(null))
    throw new ApiError('invalid_parameter', { message: 'id must be a list of ids, separated by commas.' });
  if (ids.length > LIMIT) throw new ApiError('invalid_parameter', { message: `id may contain at most ${LIMIT} ids.` });
  return [...new Set(ids as number[])];
};
