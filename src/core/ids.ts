import { parseId } from '../http/operation/match.ts';
import type { Parameter } from '../http/request/wire.ts';
import { ApiError } from './errors.ts';

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
