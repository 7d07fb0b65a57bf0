import type { Json } from '../../src/core/call/reply.ts';
import type { Field } from '../../src/core/resource/resource.ts';
import { daySpan, parseInstant } from '../../src/core/time.ts';
import type { Comparison } from '../../src/query/filter.ts';

/**
 * Whether a value, as in a response, passes one group of a filter: a second implementation of the filter grammar, without SQL, as the
 * reference for tests. The comparisons must be valid for the field.
 */
export const passes = (field: Field, group: readonly Comparison[], value: Json, timeZone: string): boolean =>
  group.some(comparison => {
    const not = 'not' in comparison && comparison.not;
    return holds(field, comparison, value, timeZone) !== not;
  });

const holds = (field: Field, comparison: Comparison, value: Json, timeZone: string): boolean => {
  if (comparison.kind === 'null') return value === null;
  if (value === null) return false;
  switch (comparison.kind) {
    case 'match':
      return matches(field, comparison, value);
    case 'equal': {
      const [from, to] = bounds(field, comparison.value, timeZone);
      return compare(field, value, from) === 0 || (to !== null && between(value, from, to));
    }
    case 'order': {
      const [from, to] = bounds(field, comparison.value, timeZone);
      if (to !== null) return ordersDay(comparison.operator, value, from, to);
      const sign = compare(field, value, from);
      return { '<': sign < 0, '<=': sign <= 0, '>': sign > 0, '>=': sign >= 0 }[comparison.operator];
    }
  }
};

const matches = (field: Field, comparison: Extract<Comparison, { kind: 'match' }>, value: Json): boolean => {
  if (Array.isArray(value)) return value.map(String).includes(comparison.value);
  const fold = (text: string) => (comparison.fold && field.type === 'text' ? text.toLowerCase() : text);
  const [text, part] = [fold(String(value)), fold(comparison.value)];
  return { start: text.startsWith(part), end: text.endsWith(part), anywhere: text.includes(part) }[comparison.place];
};

/** Returns the bounds of a filter's value: a date on a date-time field stands for a day, anything else for one value (`to` is null). */
const bounds = (field: Field, text: string, timeZone: string): [from: Json, to: string | null] => {
  switch (field.type) {
    case 'integer':
    case 'number':
      return [Number(text), null];
    case 'flag':
      return [text === '1' || text === 'true' ? 1 : 0, null];
    case 'date_time': {
      const span = daySpan(text, timeZone);
      return span ? [span.from, span.to] : [parseInstant(text, timeZone), null];
    }
    default:
      return [text, null];
  }
};

const between = (value: Json, from: Json, to: string): boolean => String(value) >= String(from) && String(value) < to;

const ordersDay = (operator: string, value: Json, from: Json, to: string): boolean =>
  ({
    '<': String(value) < String(from),
    '<=': String(value) < to,
    '>': String(value) >= to,
    '>=': String(value) >= String(from),
  })[operator] as boolean;

const collator = new Intl.Collator('und');

/** Compares two values; strings by the root collation, then by code points. */
const compare = (field: Field, left: Json, right: Json): number => {
  if (field.type !== 'text') return left === right ? 0 : (left as number) < (right as number) ? -1 : 1;
  if (left === right) return 0;
  return (
    collator.compare(String(left), String(right)) ||
    Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
  );
};
