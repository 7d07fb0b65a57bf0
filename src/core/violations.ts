import type { ErrorObject } from 'ajv';
import type { Json } from './call/reply.ts';
import { type FieldError, type FieldErrorCode, fieldError } from './errors.ts';
import { formats } from './formats.ts';
import { linesKeyword } from './lines.ts';
import { scaleKeyword } from './numbers.ts';
import { dateExpected, dateTimeExpected, dateTimePattern } from './time.ts';
import type { InUnits } from './turns.ts';

/**
 * Converts the errors of Ajv (with `allErrors`) to one field error per invalid field.
 * @param prefix JSON Pointer of the body within the validated value; errors outside it are left out
 */
export const toFieldErrors = (violations: readonly ErrorObject[], prefix = ''): readonly FieldError[] => {
  const byField = new Map<string, ErrorObject[]>();
  for (const violation of violations) {
    if (!violation.instancePath.startsWith(prefix)) continue;
    const field = fieldOf(violation, prefix);
    const known = byField.get(field);
    if (known) known.push(violation);
    else byField.set(field, [violation]);
  }
  return [...byField]
    .filter(
      ([field, found]) => !found.every(isAlternative) || ![...byField.keys()].some(other => isInside(other, field)),
    )
    .map(([field, found]) => toFieldError(field, choose(found)));
};

/** Errors after which the search for inexact numbers ends. */
const enough = 100;
/** Values after which it yields. */
const stretch = 20_000;

/** A value whose members are visited. */
interface Visited {
  /** The names of an object's members; null: an array. */
  readonly names: readonly string[] | null;
  readonly values: readonly Json[] | Readonly<Record<string, Json>>;
  /** Position of the member that is visited. */
  at: number;
}

/** Returns an error for each inexact number at any depth of a body. Yields regularly. */
export function* findInexactNumbers(body: Json): InUnits<readonly FieldError[]> {
  const found: FieldError[] = [];
  const open: Visited[] = [];
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    const values = value as Visited['values'];
    open.push({ names: Array.isArray(values) ? null : Object.keys(values), values, at: -1 });
  };
  visit(body);
  for (let count = 1; open.length > 0 && found.length < enough; count++) {
    if (count % stretch === 0) yield;
    const inner = open.at(-1) as Visited;
    const { names, values } = inner;
    if (++inner.at >= (names ?? (values as readonly Json[])).length) open.pop();
    else {
      const value = (values as Readonly<Record<string, Json>>)[names?.[inner.at] ?? inner.at] as Json;
      if (isInfinite(value)) found.push(fieldError('out_of_range', open.map(nameOf).join('.')));
      else visit(value);
    }
  }
  return found;
}

const nameOf = ({ names, at }: Visited): string => (names?.[at] ?? String(at)).slice(0, 64);

const toFieldError = (field: string, violation: ErrorObject): FieldError => {
  const code = codeOf(violation);
  const expected = codes[violation.keyword] === code ? expectations[violation.keyword]?.(violation.params) : undefined;
  return fieldError(code, field, expected && (field === '' ? `${expected}.` : `${field}: ${expected}.`));
};

/** Returns what a keyword expects of the value, by its error's parameters, if it is short enough. */
const expectations: Readonly<Record<string, (params: ErrorObject['params']) => string | undefined>> = {
  type: ({ type }) =>
    `${[type]
      .flat()
      .map(name => types[name] ?? name)
      .join(' or ')} is expected`,
  minimum: ({ limit }) => `at least ${limit} is expected`,
  maximum: ({ limit }) => `at most ${limit} is expected`,
  maxLength: ({ limit }) => `at most ${limit} characters are expected`,
  maxItems: ({ limit }) => `at most ${limit} items are expected`,
  enum: ({ allowedValues }) =>
    allowedValues.length > 20 ? undefined : `one of ${allowedValues.join(', ')} is expected`,
  format: ({ format }) => (format === 'date' ? dateExpected : formats[format]?.expected),
  pattern: ({ pattern }) => {
    if (pattern === dateTimePattern) return dateTimeExpected;
    return pattern.length > 60 ? undefined : `a string that matches ${pattern} is expected`;
  },
  uniqueItems: () => 'no item may occur more than once',
};

const types: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const isComposite = ({ keyword }: ErrorObject): boolean => ['anyOf', 'oneOf', 'allOf', 'if', 'not'].includes(keyword);

/** Whether an error only reports that no alternative matches; nested errors replace it. */
const isAlternative = (violation: ErrorObject): boolean => isComposite(violation) || violation.params.type === 'null';

const isInside = (other: string, field: string): boolean =>
  other !== field && (field === '' || other.startsWith(`${field}.`));

/** Returns the path of the schema whose keyword has found the error. */
const schemaOf = ({ schemaPath }: ErrorObject): string => schemaPath.slice(0, schemaPath.lastIndexOf('/'));

/** Chooses the error to report for a field: of the alternative with the value's type, never of null. */
const choose = (found: readonly ErrorObject[]): ErrorObject => {
  const specific = found.filter(violation => !isComposite(violation) && violation.params.type !== 'null');
  const mistyped = new Set(specific.filter(({ keyword }) => keyword === 'type').map(schemaOf));
  const typed = specific.find(
    violation => !['type', 'enum', 'const'].includes(violation.keyword) && !mistyped.has(schemaOf(violation)),
  );
  return (typed ?? specific[0] ?? found[0]) as ErrorObject;
};

/** The field of an error, such as `items.0.work_times`; also of a missing or unknown member. */
const fieldOf = ({ instancePath, params, keyword }: ErrorObject, prefix: string): string => {
  const segments = instancePath.slice(prefix.length).split('/').slice(1).map(unescapePointer);
  const member =
    keyword === 'required' ? params.missingProperty : (params.additionalProperty ?? params.unevaluatedProperty);
  if (typeof member === 'string') segments.push(member.slice(0, 64));
  return segments.join('.');
};

/** Unescapes a segment of a JSON Pointer (RFC 6901, section 4). */
const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const codes: Readonly<Record<string, FieldErrorCode>> = {
  required: 'not_empty',
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  type: 'invalid_type',
  format: 'invalid_format',
  [linesKeyword]: 'invalid_character',
  pattern: 'invalid_format',
  minLength: 'too_short',
  maxLength: 'too_long',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  [scaleKeyword]: 'out_of_range',
  enum: 'not_in_enumeration',
  const: 'not_in_enumeration',
  minItems: 'not_empty',
  maxItems: 'too_many_items',
  uniqueItems: 'not_unique',
};

/** Whether the value stands for a number that can't be represented exactly. */
const isInfinite = (data: unknown): boolean => typeof data === 'number' && !Number.isFinite(data);

const codeOf = ({ keyword, data, params }: ErrorObject): FieldErrorCode => {
  if (data === null && (keyword === 'type' || keyword === 'enum' || keyword === 'const')) return 'not_empty';
  if (data === '' && keyword === 'minLength') return 'not_empty';
  if (isInfinite(data) && (params.type === 'integer' || params.type === 'number')) return 'out_of_range';
  return codes[keyword] ?? 'invalid_type';
};
