import type { Parameter } from '../http/request/wire.ts';
import { parseSwitch } from '../query/query.ts';
import { ApiError } from './errors.ts';

/** Whether the parameter is given and on; `invalid_parameter` (400) for a value that is neither true nor false. */
export const isOn = (parameters: readonly Parameter[], name: string): boolean => {
  const given = parameters.filter(([candidate]) => candidate === name);
  if (given.length > 1) throw new ApiError('invalid_parameter', { message: `${name} is given more than once.` });
  return given.some(([, text]) => parseSwitch(name, text));
};
