import { ApiError } from './errors.ts';
import type { Parameter } from './parameter.ts';

/** An id in its one decimal form, from 1 to 2^53 - 1; null: the text is none. */
export const parseId = (text: string): number | null => {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
};

const LIMIT = 500;

/** The ids in the parameter `id`, separated by commas, each once; `invalid_parameter` (400) without any, or for more than 500. */
export const idsOf = (parameters: readonly Parameter[]): readonly number[] => {
  const texts = parameters.filter(([name]) => name === 'id').flatMap(([, text]) => text.split(','));
  const ids = texts.map(text => parseId(text.trim()));
  if (ids.length === 0 || ids.includes(null))
    throw new ApiError('invalid_parameter', { message: 'id is a list of ids, separated by commas.' });
  if (ids.length > LIMIT) throw new ApiError('invalid_parameter', { message: `id takes ${LIMIT} ids at most.` });
  return [...new Set(ids as number[])];
};
