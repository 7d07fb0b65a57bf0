import { ApiError } from '../errors.ts';
import type { Parameter } from './parameter.ts';

/**
 * Returns the value of a parameter; undefined: it is not given.
 * @throws ApiError invalid_parameter (400) if it is given more than once
 */
export const onlyValue = (name: string, parameters: readonly Parameter[]): string | undefined => {
  const [first, second] = parameters.filter(([parameter]) => parameter === name);
  if (second) throw new ApiError('invalid_parameter', { message: `${name} is given more than once.` });
  return first?.[1];
};

/**
 * Parses the value of an integer parameter, of at most 16 digits.
 * @throws ApiError invalid_parameter (400)
 */
export const integerOf = (name: string, text: string, minimum: number, maximum: number): number => {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= minimum && value <= maximum) return value;
  throw new ApiError('invalid_parameter', { message: `${name} must be an integer from ${minimum} to ${maximum}.` });
};
