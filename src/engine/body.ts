import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../core/call/reply.ts';
import { type FieldError, fieldError } from '../core/errors.ts';
import { completeSet, type FieldSet, noField, rejectDeleted } from '../core/resource/fields.ts';
import { hiddenPaths, masked } from '../core/resource/mask.ts';
import type { Field } from '../core/resource/resource.ts';
import { unmasked } from '../core/resource/unmask.ts';
import { checkValue } from './value.ts';
import { widenDays } from './whole-days.ts';

export type Values = Readonly<Record<string, Json>>;

/** What a body writes, and everything that is wrong with it. */
export interface Draft {
  readonly values: Values;
  readonly errors: FieldError[];
}

/**
 * Checks a POST's body: every field known and creatable, none that is required missing.
 * Defaults filled in. `findings` is what is wrong with it by the document's schema.
 */
export const draftCreate = (
  set: FieldSet,
  given: Values,
  timeZone: string,
  findings: readonly FieldError[] = [],
): Draft => {
  const body = widenDays(set, given, timeZone);
  const errors: FieldError[] = [];
  const values: Record<string, Json> = {};
  for (const name of Object.keys(body)) {
    if (!set.byName.has(name)) errors.push(unknownField(set, name));
  }
  for (const { name, required, default: preset } of completeSet(set).fields) {
    const field = set.byName.get(name);
    if (!field || !Object.hasOwn(body, name)) {
      if (required) errors.push(fieldError('not_empty', name, `${name}: a value is required.`));
      // A list or an object is the default of its column.
      else if (preset !== undefined && typeof preset !== 'object') values[name] = preset;
    } else if (field.access === 'read' || field.access === 'update') {
      errors.push(fieldError('read_only', name, `${name} can't be set.`));
    } else {
      take(field, body[name] as Json, timeZone, values, errors);
    }
  }
  errors.push(...remaining(findings, values), ...orderErrors(set, values, values));
  return { values, errors };
};

/**
 * Checks a PUT's body against the current record.
 * What the server derives or keeps itself is ignored, so that a client may send back what it read; a stored field that is not
 * editable must have its current value; a value equal to the current one is left out.
 * @param inherited the fields whose current values are those of another record
 */
export const draftUpdate = (
  set: FieldSet,
  given: Values,
  current: Values,
  timeZone: string,
  findings: readonly FieldError[] = [],
  inherited: ReadonlySet<string> = new Set(),
): Draft => {
  const body = widenDays(set, given, timeZone, current);
  const errors: FieldError[] = [];
  const values: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body)) {
    const field = set.byName.get(name);
    if (!field) errors.push(unknownField(set, name));
    else if (!field.computed && !isDeepStrictEqual(value, shownOf(field, current[name]))) {
      take(field, value, timeZone, values, errors, current[name]);
      if (!Object.hasOwn(values, name)) continue;
      if (field.mask) values[name] = unmasked(field.mask, values[name] as Json, current[name] ?? null);
      if (isDeepStrictEqual(values[name], current[name])) delete values[name];
      else if (field.access === 'read' || field.access === 'create') {
        delete values[name];
        errors.push(fieldError('read_only', name, `${name} can't be changed.`));
      }
    }
  }
  // A rejected value is compared with nothing, nor is the one that it was to replace.
  const rejected = Object.fromEntries(errors.map(({ field }) => [field, null]));
  const after = { ...current, ...values, ...rejected };
  errors.push(...remaining(findings, values), ...orderErrors(set, values, after, inherited));
  return { values, errors };
};

/** What a client has read of a value. */
const shownOf = ({ mask }: Field, value: Json | undefined): Json | undefined =>
  mask && value !== undefined ? masked(mask, value) : value;

/** Returns the values that differ from those of the record. */
export const changesOf = (values: Values, current: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(value, current[name])));

/** Returns the findings on values that would be written, without those found here. */
const remaining = (findings: readonly FieldError[], values: Values): readonly FieldError[] =>
  findings.filter(({ field }) => Object.keys(values).some(name => field === name || field.startsWith(`${name}.`)));

const take = (
  field: Field,
  value: Json,
  timeZone: string,
  values: Record<string, Json>,
  errors: FieldError[],
  stored: Json = null,
): void => {
  const checked = checkValue(field, value, timeZone, stored);
  if ('errors' in checked) {
    errors.push(...checked.errors);
    return;
  }
  values[field.name] = checked.value;
  const hidden = field.mask ? hiddenPaths(field.mask, checked.value, `${field.name}.`) : [];
  errors.push(...hidden.map(path => fieldError('unknown_field', path, `${path} is not a field of the body.`)));
};

/** Unknown members beyond these are only counted: a text for each would cost too much. */
const listed = 100;

/**
 * Returns the body without all but the first of its unknown members, and the number of those left out.
 * There can be very many.
 * @param related the members that are known beside the fields
 */
export const withoutSurplus = (
  set: FieldSet,
  body: Values,
  related: Pick<ReadonlySet<string>, 'has'>,
): { readonly body: Values; readonly surplus: number } => {
  const names = Object.keys(body);
  if (names.length <= listed) return { body, surplus: 0 };
  let unknown = 0;
  const kept = names.filter(
    name => set.byName.has(name) || related.has(name) || set.deleted.has(name) || unknown++ < listed,
  );
  return {
    body: Object.fromEntries(kept.map(name => [name, body[name] as Json])),
    surplus: names.length - kept.length,
  };
};

const unknownField = (set: FieldSet, name: string): FieldError => {
  rejectDeleted(set, name);
  return fieldError('unknown_field', name.slice(0, 64), noField(name, set));
};

/**
 * Returns the errors of fields that are not in the order of their marks.
 * Where one of the two is written. An inherited value has no bounds: it can't be removed.
 */
export const orderErrors = (
  set: FieldSet,
  written: Values,
  values: Values,
  inherited: ReadonlySet<string> = new Set(),
): FieldError[] =>
  set.fields.flatMap(({ name, ...marks }) => {
    const isOwn = Object.hasOwn(written, name) || !inherited.has(name);
    const compare = (other: string | undefined, isWrong: (value: string, bound: string) => boolean): boolean => {
      if (other === undefined || !(Object.hasOwn(written, name) || Object.hasOwn(written, other))) return false;
      const [value, bound] = [values[name], values[other]];
      return typeof value === 'string' && typeof bound === 'string' && isWrong(value, bound);
    };
    const errors: FieldError[] = [];
    const { endsAfter, notBefore, notAfter } = marks;
    if (compare(endsAfter, (end, start) => end <= start))
      errors.push(fieldError('end_before_start', name, `${name} must be later than ${endsAfter}.`));
    if (isOwn && compare(notBefore, (end, start) => end < start))
      errors.push(fieldError('end_before_start', name, `${name} must not be before ${notBefore}.`));
    if (isOwn && compare(notAfter, (value, end) => value > end))
      errors.push(fieldError('out_of_range', name, `${name} must not be after ${notAfter}.`));
    return errors;
  });
