import { ApiError } from '../core/errors.ts';
import { normalise } from '../core/lines.ts';
import { isNumber } from '../core/numbers.ts';
import type { Field } from '../core/resource/resource.ts';
import { daySpan, isDate, parseInstant } from '../core/time.ts';
import { arrayLiteral } from '../db/values.ts';
import type { Comparison, MatchPosition, Order } from './filter.ts';

/**
 * A comparison validated for its field; `values` are strings of the column's type.
 * Everything but `values` decides the SQL. A `not` predicate holds wherever the positive form does not, including for null.
 */
export type Predicate =
  | { readonly kind: 'null'; readonly not: boolean; readonly values: readonly [] }
  | { readonly kind: 'equal'; readonly not: boolean; readonly values: readonly [string] }
  /** Equal to any item of an array literal. */
  | { readonly kind: 'among'; readonly not: false; readonly values: readonly [string] }
  | { readonly kind: 'order'; readonly not: false; readonly operator: Order; readonly values: readonly [string] }
  /** Within a half-open span of instants. */
  | { readonly kind: 'within'; readonly not: boolean; readonly values: readonly [from: string, to: string] }
  /** The column's string form matches a LIKE pattern. */
  | { readonly kind: 'like'; readonly not: boolean; readonly fold: boolean; readonly values: readonly [string] }
  /** A JSON array contains the item. */
  | { readonly kind: 'member'; readonly not: boolean; readonly values: readonly [string] };

/** One group of a filter: a row passes if any of the predicates holds. */
export interface Condition {
  readonly field: Field;
  readonly any: readonly Predicate[];
}

/** Whether a condition is met by single values, and so keeps few records. */
export const isOfValues = ({ any }: Condition): boolean => any.every(({ kind, not }) => !not && single.has(kind));

const single: ReadonlySet<Predicate['kind']> = new Set(['equal', 'among']);

/** Whether a condition is met by missing values only. */
export const isOfNull = ({ any }: Condition): boolean => any.every(({ kind, not }) => kind === 'null' && !not);

/** Whether a condition is met by values only, whichever they are. */
export const isOfNotNull = ({ any }: Condition): boolean => any.every(({ kind, not }) => kind === 'null' && not);

/**
 * Validates a group of comparisons against its field.
 * See docs/decisions.md, "Filters".
 * @throws ApiError invalid_filter with the field, the value and the expected type
 */
export const fit = (field: Field, group: readonly Comparison[], timeZone: string): Condition => {
  const any = group.map(comparison => fitOne(field, comparison, timeZone));
  if (any.length < 2) return { field, any };
  const equals = any.filter(predicate => predicate.kind === 'equal' && !predicate.not);
  if (equals.length < 2) return { field, any };
  const literal = arrayLiteral(equals.flatMap(({ values }) => values));
  const others = any.filter(predicate => !equals.includes(predicate));
  return { field, any: [{ kind: 'among', not: false, values: [literal] }, ...others] };
};

const fitOne = (field: Field, given: Comparison, timeZone: string): Predicate => {
  if (given.kind === 'null') return { kind: 'null', not: given.not, values: [] };
  const isText = field.type === 'text' || field.items === 'text';
  const comparison = isText ? { ...given, value: normalise(field.lines ?? 'one', given.value) } : given;
  const fitted = field.type === 'json' ? fitJson(field, comparison) : fitScalar(field, comparison, timeZone);
  if (fitted) return fitted;
  throw new ApiError('invalid_filter', { message: `${field.name}: ${complaint(field, comparison)}` });
};

type Valued = Exclude<Comparison, { kind: 'null' }>;

const fitScalar = (field: Field, comparison: Valued, timeZone: string): Predicate | null => {
  if (comparison.kind === 'match') return fitMatch(field, comparison);
  if (field.type === 'date_time') return fitInstant(comparison, timeZone);
  const text = columnText(field, comparison.value);
  if (text === null) return null;
  return comparison.kind === 'equal'
    ? { kind: 'equal', not: comparison.not, values: [text] }
    : { kind: 'order', not: false, operator: comparison.operator, values: [text] };
};

/** Treats a date as a whole day: `=` within, `<` before, `>` after; `<=` and `>=` include it. */
const fitInstant = (comparison: Exclude<Valued, { kind: 'match' }>, timeZone: string): Predicate | null => {
  const span = daySpan(comparison.value, timeZone);
  const instant = span?.from ?? parseInstant(comparison.value, timeZone);
  if (instant === null) return null;
  if (comparison.kind === 'equal') {
    const { not } = comparison;
    return span ? { kind: 'within', not, values: [span.from, span.to] } : { kind: 'equal', not, values: [instant] };
  }
  const { operator } = comparison;
  if (!span) return { kind: 'order', not: false, operator, values: [instant] };
  const toEnd = operator === '<=' || operator === '>';
  return {
    kind: 'order',
    not: false,
    operator: operator === '<' || operator === '<=' ? '<' : '>=',
    values: [toEnd ? span.to : span.from],
  };
};

const fitMatch = (
  field: Field,
  { not, place, fold, value }: { not: boolean; place: MatchPosition; fold: boolean; value: string },
): Predicate | null => {
  if (field.type !== 'text' && field.type !== 'date' && field.type !== 'date_time') return null;
  const escaped = value.replace(/[\\%_]/g, '\\$&');
  const pattern = (place === 'start' ? '' : '%') + escaped + (place === 'end' ? '' : '%');
  return { kind: 'like', not, fold: fold && field.type === 'text', values: [pattern] };
};

const fitJson = (field: Field, comparison: Valued): Predicate | null => {
  if (comparison.kind !== 'match' || comparison.place !== 'anywhere' || comparison.fold || !field.items) return null;
  const { not, value } = comparison;
  if (field.items === 'text') return { kind: 'member', not, values: [JSON.stringify(value)] };
  return isInteger(value) ? { kind: 'member', not, values: [String(Number(value))] } : null;
};

/** The column's string form of a filter value; null if the value is not of the column's type. */
const columnText = (field: Field, value: string): string | null => {
  switch (field.type) {
    case 'integer':
      return isInteger(value) ? value : null;
    case 'number':
      return isNumber(value) ? value : null;
    case 'flag':
      return flags.get(value) ?? null;
    case 'date':
      return isDate(value) ? value : null;
    case 'text':
      return value;
    default:
      return null;
  }
};

const flags: ReadonlyMap<string, string> = new Map([
  ['0', 'false'],
  ['1', 'true'],
  ['false', 'false'],
  ['true', 'true'],
]);

/** Whether a string is a decimal 64-bit integer. */
export const isInteger = (value: string): boolean =>
  /^[+-]?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value.replace('+', ''))) === BigInt(value.replace('+', ''));

const typeNames = {
  integer: 'a whole number',
  number: 'a number',
  flag: 'a flag (0 or 1)',
  text: 'a string',
  date: 'a date (YYYY-MM-DD)',
  date_time: 'a date or date-time (YYYY-MM-DD or RFC 3339)',
  json: 'an object or array',
} as const;

const complaint = (field: Field, comparison: Valued): string => {
  const value = JSON.stringify(comparison.value.slice(0, 64));
  if (field.type === 'json') {
    const membership = field.items ? ', -null and *value*' : ' and -null';
    return `${value} is not supported: the field is ${typeNames.json} and can be filtered only by null${membership}.`;
  }
  if (comparison.kind === 'match') {
    return `the pattern ${value} requires a string or date field; this field is ${typeNames[field.type]}.`;
  }
  const hint = field.type === 'date_time' && lostPlus.test(comparison.value) ? plusHint : '';
  return `${value} is not ${typeNames[field.type]}.${hint}`;
};

/** A time with a blank for the offset's sign: what an unescaped `+` in a URL is decoded to. */
const lostPlus = /\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)? \d{2}:?\d{2}$/;
const plusHint = ' In a URL, + means a blank: write the + of the offset as %2B.';
