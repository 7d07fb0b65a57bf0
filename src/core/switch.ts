import { ApiError } from './errors.ts';
import type { Parameter } from './parameter.ts';

/** Whether the parameter is given and on; `invalid_parameter` (400) for a value that is neither true nor false. */
export const isOn = (parameters: readonly Parameter[], name: string): boolean => {
  const given = parameters.filter(([candidate]) => candidate === name);
  if (given.length > 1) throw new ApiError('invalid_parameter', { message: `${name} is given more than once.` });
  return given.some(([, text]) => parseSwitch(name, text));
};

/** True or false, as a parameter tells it; `invalid_parameter` (400) for anything else. */
export const parseSwitch = (name: string, text: string): boolean => {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new ApiError('invalid_parameter', { message: `${name} is true or false.` });
};
