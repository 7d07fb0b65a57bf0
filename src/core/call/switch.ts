import { ApiError } from '../errors.ts';
import type { Parameter } from './parameter.ts';
import { onlyValue } from './values.ts';

/** The query parameter of writes that makes them dry runs. */
export const dryRun = 'dry_run';

/**
 * Whether a boolean query parameter is given and true.
 * @throws ApiError invalid_parameter (400) if it is not a boolean or given more than once
 */
export const isOn = (parameters: readonly Parameter[], name: string): boolean => {
  if (parameters.some(([candidate]) => candidate === `${name}[]`))
    throw new ApiError('invalid_parameter', { message: `${name} must be given without brackets.` });
  const text = onlyValue(name, parameters);
  return text !== undefined && parseSwitch(name, text);
};

/**
 * Parses the value of a boolean query parameter: `true`, `1`, `false` or `0`.
 * @throws ApiError invalid_parameter (400) for any other value
 */
export const parseSwitch = (name: string, text: string): boolean => {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new ApiError('invalid_parameter', { message: `${name} must be true or false.` });
};
