import type { Json } from '../core/call/reply.ts';
import type { FieldError } from '../core/errors.ts';
import type { Field } from '../core/resource/resource.ts';
import { toStoredForm } from '../core/stored-form.ts';
import { ajv } from '../core/validator.ts';
import { toFieldErrors } from '../core/violations.ts';

/** Checks an object or array against its field's schema: an entry for each failing member. */
export const checkJson = (
  { name, schema }: Pick<Field, 'name' | 'schema'>,
  given: Json,
): { readonly value: Json } | { readonly errors: readonly FieldError[] } => {
  if (!schema) return { value: given };
  const value = toStoredForm(schema, given);
  const validate = ajv.compile(schema);
  if (validate(value)) return { value };
  const found = validate.errors ?? [];
  // A null inside of a value has the wrong type; only a field that is null lacks a value.
  const within = found.map(({ data, ...error }) => ({
    ...error,
    ...(data !== null && { data }),
    instancePath: `/${name}${error.instancePath}`,
  }));
  return { errors: toFieldErrors(within) };
};
