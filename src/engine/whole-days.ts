import type { Json } from '../core/call/reply.ts';
import type { JsonObject } from '../core/json/object.ts';
import type { FieldSet } from '../core/resource/fields.ts';
import type { Field } from '../core/resource/resource.ts';
import { daySpanAt, isDate, parseInstant } from '../core/time.ts';

/**
 * Returns the body with the intervals that are entered as whole days.
 * A date as end is the end of that day, and with the flag both times move outwards to the bounds of days in the time zone. Values
 * that are no date-times stay for their own check, and present ones as they are: they may be days of an earlier time zone.
 * See docs/decisions.md, "Times and the tenant's clock".
 * @param current the present values of a record that is changed
 */
export const widenDays = (set: FieldSet, body: JsonObject, timeZone: string, current: JsonObject = {}): JsonObject =>
  set.fields.reduce((widened, field) => (field.wholeDays ? widen(field, widened, timeZone, current) : widened), body);

const widen = ({ name, wholeDays }: Field, body: JsonObject, timeZone: string, current: JsonObject): JsonObject => {
  const { start: first, flag } = wholeDays as NonNullable<Field['wholeDays']>;
  const whole = isSet(flag.split('.').reduce<Json | undefined>(memberOf, body));
  const start = givenInstant(body[first], timeZone);
  const end = givenInstant(body[name], timeZone);
  const changes: Record<string, Json> = {};
  if (whole && start && start !== current[first]) changes[first] = daySpanAt(start, timeZone).from;
  const isPresent = end === current[name] && !isDate(String(body[name]));
  if (end && !isPresent && (whole || isDate(String(body[name])))) {
    const day = daySpanAt(end, timeZone);
    // An end at midnight closes the day before, but for a date and where nothing would be left.
    const isClosed = day.from === end && !isDate(String(body[name])) && start !== end;
    // The last day there is has no end: its own check rejects it.
    changes[name] = isClosed || day.to === 'infinity' ? end : day.to;
  }
  return { ...body, ...changes };
};

const isSet = (value: Json | undefined): boolean => value === 1 || value === true;

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, Json>>)[name]
    : undefined;

const givenInstant = (value: Json | undefined, timeZone: string): string | null =>
  typeof value === 'string' ? parseInstant(value, timeZone) : null;
