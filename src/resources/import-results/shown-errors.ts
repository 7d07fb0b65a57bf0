import { type FieldError, messageOf } from '../../core/errors.ts';
import type { Json } from '../../core/json/value.ts';
import type { Access } from '../../core/resource/access.ts';
import { completeSet, type FieldSet } from '../../core/resource/fields.ts';
import { presentedFinding } from '../../core/resource/findings.ts';
import type { Mask } from '../../core/resource/mask.ts';

/**
 * Returns a function that hides what an API user may not see in the errors of a row.
 * It does not matter who has sent the row. Of an error about a field that does not exist only the code is left, and a message that names one is
 * replaced by that of the code.
 * @param set the fields of the row's resource as they exist for the API user; null: all do
 * @param written the name of that resource
 */
export const shownErrors = (set: FieldSet | null, access: Access, written: string): ((errors: Json) => Json) => {
  const existing = set ? existingErrors(set) : (error: FieldError) => error;
  return errors => {
    if (!Array.isArray(errors)) return errors;
    return (errors as unknown as readonly FieldError[]).map(
      error => existing(presentedFinding(error, access, written)) as unknown as Json,
    );
  };
};

const existingErrors = (set: FieldSet): ((error: FieldError) => FieldError) => {
  const names = hiddenNames(set).map(name => name.replaceAll('.', '\\.'));
  const named = names.length > 0 ? new RegExp(`(?<![\\w.])(?:${names.join('|')})(?!\\w)`) : null;
  return error => {
    const { code, field, ...says } = error;
    if (!exists(field, set)) return { code, field: '', message: messageOf(code) };
    return named?.test(Object.values(says).map(textOf).join(' ')) ? { code, field, message: messageOf(code) } : error;
  };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the names of hidden fields, and of the relations under them. */
const hiddenNames = (set: FieldSet): readonly string[] => {
  const hidden = completeSet(set).fields.filter(({ name }) => !set.byName.has(name));
  const leading = new Set(hidden.map(({ name }) => name));
  const relations = set.resource.relations.filter(({ from }) => leading.has(from));
  return [
    ...hidden.flatMap(({ name, byExternalId = [] }) => [name, ...[byExternalId].flat()]),
    ...relations.flatMap(({ name, short }) => [name, short]),
  ];
};

/** Whether the path of an error leads to a field that exists for the API user, or to the whole row. */
const exists = (path: string, set: FieldSet): boolean => {
  if (path === '') return true;
  const field = set.fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
  if (field) return !isMasked(path.slice(field.name.length + 1).split('.'), field.mask ?? null);
  const [first] = path.split('.');
  const { relations } = set.resource;
  return (
    set.fields.some(({ byExternalId }) => byExternalId === first) ||
    relations.some(({ name, short, from }) => (name === first || short === first) && set.byName.has(from))
  );
};

/** Whether a path leads to a hidden member of a value. */
const isMasked = ([name = '', ...path]: readonly string[], mask: Mask | null): boolean => {
  if (!mask || name === '') return false;
  if (mask.items && /^\d+$/.test(name)) return isMasked(path, mask.items);
  return mask.hidden.has(name) || isMasked(path, mask.members.get(name) ?? null);
};
