import type { Json } from '../../core/call/reply.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { isClean } from '../../core/lines.ts';
import { type FieldSet, noField } from '../../core/resource/fields.ts';
import { isObject } from '../../core/resource/mask.ts';
import type { Values } from '../body.ts';
import type { Related } from './names.ts';

/** What the value under the name of a to-one relation says of its record. */
export type Given =
  /** There is none. */
  | { readonly kind: 'null' }
  | { readonly kind: 'id'; readonly id: number }
  /** `alone`: the value has no other member, and so is a reference. */
  | { readonly kind: 'external'; readonly externalId: string; readonly alone: boolean }
  /** Its record has these values. */
  | { readonly kind: 'values'; readonly values: Values };

/** Returns what the value under a relation's name says, or its error; null: it says nothing. */
export const readGiven = (related: Related, value: Json, target: FieldSet): Given | FieldError | null => {
  if (related.relation?.many) return manyError(related, value, target);
  if (value === null) return { kind: 'null' };
  if (!isObject(value)) return expected(related, 'an object or null is expected');
  const { key, externalKey = '' } = related.target;
  if (Object.hasOwn(value, key)) return byId(related, value[key] as Json);
  const externalId = value[externalKey];
  if (typeof externalId === 'string') return byExternalId(related, externalId, Object.keys(value).length === 1);
  if (Object.keys(value).length === 0) return expected(related, 'an object with members is expected');
  // Only a value that is null can be what was read of a record without an external id.
  if (externalId !== undefined && externalId !== null)
    return expected(related, `a string is expected as ${externalKey}`);
  return unknownMember(related, value, target) ?? { kind: 'values', values: value };
};

const byId = (related: Related, id: Json): Given | FieldError =>
  typeof id === 'number' && Number.isSafeInteger(id)
    ? { kind: 'id', id }
    : expected(related, `an integer is expected as ${related.target.key}`);

const byExternalId = ({ member, target }: Related, externalId: string, alone: boolean): Given | FieldError =>
  isClean('one', externalId)
    ? { kind: 'external', externalId, alone }
    : fieldError(
        'invalid_character',
        member,
        `${member}: ${target.externalKey} has a character that no external id has.`,
      );

/** Records of others are never written with this one. */
const manyError = (related: Related, value: Json, target: FieldSet): FieldError | null => {
  if (!Array.isArray(value) || !value.every(isObject))
    return expected(related, 'an array of objects is expected, as `embed` returns it');
  for (const record of value) {
    const unknown = unknownMember(related, record, target);
    if (unknown) return unknown;
  }
  return null;
};

const unknownMember = ({ member }: Related, value: Values, set: FieldSet) => {
  const unknown = Object.keys(value).find(name => !set.byName.has(name) && !set.deleted.has(name));
  return unknown === undefined ? null : fieldError('unknown_field', member, `${member}: ${noField(unknown, set)}`);
};

const expected = ({ member }: Related, text: string): FieldError =>
  fieldError('invalid_type', member, `${member}: ${text}.`);
