import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FieldError } from '../errors.ts';
import type { Json } from '../http/reply.ts';
import { toFieldErrors } from '../http/violations.ts';
import type { Field } from './resource.ts';
import { isDate } from './time.ts';

// Formats of numbers, such as int32, tell nothing that the type and its bounds do not.
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { date: isDate }, logger: false });

/** Checks an object or array against its field's schema: an entry for each member that fails, such as `rules[0].count`. */
export const checkJson = (
  { name, schema }: Field,
  value: Json,
): { readonly value: Json } | { readonly errors: readonly FieldError[] } => {
  if (!schema) return { value };
  const validate = ajv.compile(schema);
  if (validate(value)) return { value };
  const found = validate.errors ?? [];
  return { errors: toFieldErrors(found.map(error => ({ ...error, instancePath: `/${name}${error.instancePath}` }))) };
};
