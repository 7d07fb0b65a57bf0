import { Temporal } from 'temporal-polyfill';
import type { components } from '../../../generated/api.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { beyondRange, instantAt } from '../../core/time.ts';
import type { Values } from '../../engine/body.ts';
import { clockOf, dayOfDate } from '../time/local-days.ts';
import { contains, overlaps, type Span } from '../time/span.ts';
import { spanOn } from '../time/windows.ts';

export type TimeSlot = components['schemas']['AvailabilityTimeSlot'];
export type Rule = components['schemas']['AvailabilityRule'];
export type RequestedAvailability = components['schemas']['RequestedAvailability'];
export type Availability = components['schemas']['Availability'];

/** The time slots that an availability request asks for, and the rules for the availabilities given. */
export interface Definition {
  readonly rules: readonly Rule[];
  readonly time_slots: readonly TimeSlot[];
  readonly requested_availabilities: readonly RequestedAvailability[];
}

/** The first and last day of a request; null: open at that end. */
export interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns the definition in a record with valid fields, or in a database row; omitted lists are empty. */
export const definitionOf = ({ rules, time_slots, requested_availabilities }: Record<string, unknown>): Definition => ({
  rules: (rules ?? []) as Rule[],
  time_slots: (time_slots ?? []) as TimeSlot[],
  requested_availabilities: (requested_availabilities ?? []) as RequestedAvailability[],
});

/** Returns the availabilities given in a record with valid fields; empty if omitted. */
export const answerOf = ({ availabilities }: Values): readonly Availability[] =>
  (availabilities ?? []) as unknown as Availability[];

/** Returns the indexes of items that repeat an earlier one. */
export const repeatedAt = <T>(items: readonly T[], keyOf: (item: T) => unknown): readonly number[] => {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const key = keyOf(item);
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
};

const keyOf = ({ date, time_slot_id }: RequestedAvailability): string => `${date} ${time_slot_id}`;

/**
 * Returns the errors of a list of time slots by day.
 * Undefined slots (if there is a definition), days outside, duplicates.
 * @param stored the list that the record has, whose days may be beyond the range of dates
 */
export const slotErrors = (
  field: string,
  items: readonly RequestedAvailability[],
  { from, to }: Days,
  definition: Definition | null,
  stored: readonly RequestedAvailability[],
): readonly FieldError[] => {
  const days = new Set(stored.map(({ date }) => date));
  const known = definition && new Set(definition.time_slots.map(({ id }) => id));
  const repeated = new Set(repeatedAt(items, keyOf));
  return items.flatMap(({ date, time_slot_id }, index) => {
    const errors: FieldError[] = [];
    const place = `${field}.${index}`;
    if (known && !known.has(time_slot_id))
      errors.push(
        fieldError('reference_not_found', `${place}.time_slot_id`, `The definition has no time slot ${time_slot_id}.`),
      );
    if ((from !== null && date < from) || (to !== null && date > to))
      errors.push(
        fieldError('out_of_range', `${place}.date`, `The date must be between ${from ?? '…'} and ${to ?? '…'}.`),
      );
    else if (!days.has(date)) {
      const expected = beyondRange('date', date);
      if (expected !== null) errors.push(fieldError('out_of_range', `${place}.date`, `${place}.date: ${expected}.`));
    }
    if (repeated.has(index))
      errors.push(fieldError('not_unique', place, 'The time slot of this day occurs more than once.'));
    return errors;
  });
};

/**
 * Returns the errors of the availabilities given.
 * Those of `slotErrors`, and time slots that were not requested. Requested are those that the definition lists or, if it lists none,
 * every time slot on its weekdays.
 */
export const answerErrors = (
  answer: readonly Availability[],
  days: Days,
  definition: Definition | null,
  stored: readonly Availability[],
): readonly FieldError[] => {
  const errors = slotErrors('availabilities', answer, days, definition, stored);
  if (!definition || errors.length > 0) return errors;
  const asked = new Set(definition.requested_availabilities.map(keyOf));
  const slots = new Map(definition.time_slots.map(slot => [slot.id, slot]));
  const isAsked = (entry: Availability): boolean =>
    asked.size > 0 ? asked.has(keyOf(entry)) : isOn(slots.get(entry.time_slot_id), entry.date);
  return answer.flatMap((entry, index) =>
    isAsked(entry)
      ? []
      : [fieldError('not_in_enumeration', `availabilities.${index}`, 'This time slot was not requested for this day.')],
  );
};

const isOn = (slot: TimeSlot | undefined, date: string): boolean =>
  slot !== undefined &&
  (slot.week_days.length === 0 || slot.week_days.includes(Temporal.PlainDate.from(date).dayOfWeek));

/**
 * Returns the rules that the availabilities given violate.
 * Each counts the available time slots of its category, or of all categories. See docs/decisions.md, "Availability".
 */
export const brokenRules = (answer: readonly Availability[], { rules, time_slots }: Definition): readonly Rule[] => {
  const categories = new Map(time_slots.map(({ id, category }) => [id, category]));
  const available = answer.filter(entry => entry.available === 1);
  return rules.filter(({ type, category = null, count }) => {
    const counted = available.filter(entry => category === null || categories.get(entry.time_slot_id) === category);
    return type === 'min' ? counted.length < count : counted.length > count;
  });
};

/** Returns the span of a time slot on a day; it ends on the next day unless it ends after its start. */
const spanOf = (date: string, slot: TimeSlot, timeZone: string): Span => {
  const { from, to } = spanOn(dayOfDate(date), slot, clockOf(timeZone));
  return { start: instantAt(from), end: instantAt(to) };
};

/** Returns whether the employee is available for a time slot that covers the whole span. */
export const covers = (
  span: Span,
  answer: readonly Availability[],
  slots: readonly TimeSlot[],
  timeZone: string,
): boolean => {
  const byId = new Map(slots.map(slot => [slot.id, slot]));
  return answer.some(({ available, date, time_slot_id }) => {
    const slot = byId.get(time_slot_id);
    if (available !== 1 || !slot) return false;
    const offered = spanOf(date, slot, timeZone);
    // An empty one overlaps nothing.
    return overlaps(span, offered) && contains(offered, span);
  });
};
