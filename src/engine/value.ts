import type { Json } from '../core/call/reply.ts';
import { type FieldError, fieldError } from '../core/errors.ts';
import { formats } from '../core/formats.ts';
import { isClean, type Lines, normalise } from '../core/lines.ts';
import { hasScale } from '../core/numbers.ts';
import type { Field } from '../core/resource/resource.ts';
import { toStoredForm } from '../core/stored-form.ts';
import { beyondRange, dateExpected, dateTimeExpected, isDate, isInstant, parseInstant } from '../core/time.ts';
import { ajv } from '../core/validator.ts';
import { toFieldErrors } from '../core/violations.ts';
import { isSelect } from './references/collection.ts';

/** A body's value as the field stores it, or everything that is wrong with it. */
export type Checked = { readonly value: Json } | { readonly errors: readonly FieldError[] };

/**
 * Checks one value of a body against its field and brings it into the stored form.
 * Flags as 0 or 1, date-times in UTC to the second, strings normalised, an empty string as null. Date-times without an
 * offset are in the tenant's time zone.
 * @param stored the present value; a date-time that equals it may be out of range
 */
export const checkValue = (field: Field, given: Json, timeZone: string, stored: Json = null): Checked => {
  const value = typeof given === 'string' ? textOf(field, given) : given;
  if (value === null ? field.required || !field.nullable : field.required && isEmpty(value))
    return fail(field, 'not_empty', 'a value is required');
  if (value === null) return { value };
  const typed = checkType(field, value, timeZone, stored);
  return 'errors' in typed ? typed : (checkRange(field, typed.value) ?? typed);
};

/** A string of a body in its stored form; a select also takes the identifier of its value. */
const textOf = (field: Field, value: string): Json => {
  if (isSelect(field)) return normalise('one', value) || null;
  if (field.type !== 'text') return value;
  return (field.lines ? normalise(field.lines, value) : value) || null;
};

const isEmpty = (value: Json): boolean => Array.isArray(value) && value.length === 0;

const fail = (field: Pick<Field, 'name'>, code: FieldError['code'], expected: string): Checked => ({
  errors: [fieldError(code, field.name, `${field.name}: ${expected}.`)],
});

const checkType = (field: Field, value: Json, timeZone: string, stored: Json): Checked => {
  switch (field.type) {
    case 'integer':
      if (typeof value === 'string' && isSelect(field)) return checkCharacters(field, value) ?? { value };
      if (Number.isSafeInteger(value)) return { value };
      if (Number.isInteger(value) || isInfinite(value)) return fail(field, 'out_of_range', rangeExpected(field));
      return fail(
        field,
        'invalid_type',
        isSelect(field) ? 'an id or identifier is expected' : 'a whole number is expected',
      );
    case 'number':
      return typeof value === 'number' ? { value } : fail(field, 'invalid_type', 'a number is expected');
    case 'flag':
      if (value === 0 || value === 1) return { value };
      return typeof value === 'boolean'
        ? { value: value ? 1 : 0 }
        : fail(field, 'invalid_type', '0, 1, true or false is expected');
    case 'text':
      return typeof value === 'string'
        ? checkText(field, value)
        : fail(field, 'invalid_type', textExpected(field, value));
    case 'date':
      if (typeof value !== 'string') return fail(field, 'invalid_type', 'a string with a date is expected');
      return isDate(value) ? within(field, 'date', value) : fail(field, 'invalid_format', dateExpected);
    case 'date_time':
      if (typeof value !== 'string') return fail(field, 'invalid_type', 'a string with a date-time is expected');
      return checkInstant(field, value, timeZone, stored);
    case 'json':
      return typeof value === 'object' ? checkJson(field, value) : fail(field, 'invalid_type', jsonExpected(value));
  }
};

/** Checks a date-time of a body and brings it into the stored form. */
export const checkInstant = (
  field: Pick<Field, 'name'>,
  value: string,
  timeZone: string,
  stored: Json = null,
): Checked => {
  if (!isInstant(value, timeZone)) return fail(field, 'invalid_format', dateTimeExpected);
  const last = '9999-12-31T23:59:59Z';
  const instant = parseInstant(value, timeZone);
  return instant !== null && instant === stored ? { value: instant } : within(field, 'date_time', instant ?? last);
};

const within = (field: Pick<Field, 'name'>, type: 'date' | 'date_time', value: string): Checked => {
  const expected = beyondRange(type, value);
  return expected === null ? { value } : fail(field, 'out_of_range', expected);
};

const textExpected = ({ format }: Field, value: Json): string =>
  format === 'json' && typeof value === 'object'
    ? 'a JSON document as a string is expected, not the object itself: serialise it, as in "{\\"minutes\\": 60}"'
    : 'a string is expected';

const jsonExpected = (value: Json): string =>
  typeof value === 'string' && /^\s*[{[]/.test(value)
    ? 'an object or array is expected, not its JSON as a string'
    : 'an object or array is expected';

/** Checks an object or array against its field's schema: an entry for each failing member. */
export const checkJson = ({ name, schema }: Pick<Field, 'name' | 'schema'>, given: Json): Checked => {
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

const charactersExpected: Readonly<Record<Lines, string>> = {
  one: 'a string on one line, without control characters and characters that change the direction of text, is expected',
  many: 'a string without control characters (except line feed and tab) and characters that change the direction of text is expected',
};

const checkCharacters = (field: Field, value: string): Checked | null => {
  const { lines } = field;
  if (lines && !isClean(lines, value)) return fail(field, 'invalid_character', charactersExpected[lines]);
  return value.includes('\0') || !value.isWellFormed()
    ? fail(field, 'invalid_character', 'a string without NUL and halves of surrogate pairs is expected')
    : null;
};

const checkText = (field: Field, value: string): Checked => {
  const found = checkCharacters(field, value);
  if (found) return found;
  const format = field.format && formats[field.format];
  if (format && !format.test(value)) return fail(field, 'invalid_format', format.expected);
  if (field.pattern && !new RegExp(field.pattern, 'u').test(value)) {
    return fail(field, 'invalid_format', `a string that matches ${field.pattern} is expected`);
  }
  return { value };
};

const checkRange = (field: Field, value: Json): Checked | null => {
  if (field.values && !field.values.includes(value as string | number)) {
    return fail(field, 'not_in_enumeration', `one of ${field.values.join(', ')} is expected`);
  }
  if (typeof value === 'number') return checkNumber(field, value);
  if (typeof value !== 'string' || field.type !== 'text') return null;
  const { length } = [...value];
  if (field.minLength !== undefined && length < field.minLength) {
    return fail(field, 'too_short', `at least ${field.minLength} characters are expected`);
  }
  if (field.maxLength !== undefined && length > field.maxLength) {
    return fail(field, 'too_long', `at most ${field.maxLength} characters are expected`);
  }
  return null;
};

/** Whether the value stands for an inexact number in the body: too large, or `1e-400`. */
const isInfinite = (value: Json): boolean => typeof value === 'number' && !Number.isFinite(value);

const rangeExpected = ({ minimum, maximum }: Field): string => {
  if (minimum === undefined && maximum === undefined) return 'a number with at most 15 significant digits is expected';
  return `a number from ${minimum ?? '…'} to ${maximum ?? '…'} is expected`;
};

const checkNumber = (field: Field, value: number): Checked | null => {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, scale } = field;
  if (value < minimum || value > maximum || isInfinite(value)) return fail(field, 'out_of_range', rangeExpected(field));
  if (scale !== undefined && !hasScale(scale, value)) {
    return fail(field, 'out_of_range', `at most ${scale} decimal places are expected`);
  }
  return null;
};
