import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Values } from '../../engine/body.ts';

/** Returns the error of a record with a source that only the service gives. */
export const originErrors = (before: Values | null, after: Values, own: readonly number[]): readonly FieldError[] => {
  if (after.source === before?.source || !own.includes(Number(after.source))) return [];
  return [fieldError('not_in_enumeration', 'source', `source: ${after.source} is given by the service only.`)];
};
