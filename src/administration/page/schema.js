import { listOf } from './parts.js';

/** Returns a schema of a document with what it refers to, of alternatives the one that is not null. */
export const resolveSchema = (document, { $ref, allOf = [], anyOf, ...own }) => {
  const parts = [...($ref ? [document.components.schemas[$ref.split('/').at(-1)]] : []), ...allOf];
  const value = anyOf?.find(({ type }) => type !== 'null');
  return Object.assign({}, ...[...parts, ...(value ? [value] : [])].map(part => resolveSchema(document, part)), own);
};

/** Returns the values that a schema lists with their titles; null: it lists none. */
export const choicesOf = ({ oneOf, enum: listed }) =>
  oneOf?.map(({ const: value, title }) => [value, title ?? String(value)]) ??
  listed?.map(value => [value, String(value)]) ??
  null;

const labelOf = name => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

const pairsOf = text =>
  Object.fromEntries(
    text
      .split('\n')
      .map(line => line.split(/:(.*)/s))
      .flatMap(([name, value]) => (name.trim() ? [[name.trim(), (value ?? '').trim()]] : [])),
  );

/** Returns the input of a schema's values: how it is shown, and `parse`, which returns the value of what is given. */
const inputOf = (document, schema, isRequired) => {
  const choices = choicesOf(schema);
  if (choices)
    return {
      type: 'select',
      options: [...(isRequired ? [] : [['', '–']]), ...choices.map(([value, title]) => [JSON.stringify(value), title])],
      show: value => JSON.stringify(value),
      parse: JSON.parse,
    };
  if ('const' in schema) return { type: 'check', parse: given => (given ? schema.const : undefined) };
  if (schema.type === 'boolean') return { type: 'check', parse: given => given };
  if (schema.type === 'integer')
    return { type: 'number', min: schema.minimum, max: schema.maximum, parse: given => Number(given) };
  if (schema.type === 'array') {
    const items = choicesOf(resolveSchema(document, schema.items));
    return items
      ? {
          type: 'checks',
          options: items.map(([value, title]) => [JSON.stringify(value), title]),
          show: values => values.map(value => JSON.stringify(value)),
          parse: given => (given.length > 0 ? given.map(JSON.parse) : undefined),
        }
      : { hint: 'Separated by commas', show: values => values.join(', '), parse: listOf };
  }
  if (schema.type === 'object')
    return {
      type: 'lines',
      hint: 'One for each line, as in Name: value',
      show: value =>
        Object.entries(value)
          .map(pair => pair.join(': '))
          .join('\n'),
      parse: pairsOf,
    };
  return { maxlength: schema.maxLength, parse: given => given };
};

/**
 * Returns the fields of a form for objects of a schema.
 * @param values the present values of an object's members
 * @param own what differs from the schema, by member
 * @param prefix precedes the names of the fields, so that a form can have several objects
 */
export const fieldsOf = (document, schema, { values = {}, own = {}, prefix = '' } = {}) => {
  const { properties = {}, required = [] } = resolveSchema(document, schema);
  return Object.entries(properties).map(([member, given]) => {
    const resolved = resolveSchema(document, given);
    const isRequired = required.includes(member);
    const { show = value => value, ...input } = inputOf(document, { ...resolved, ...own[member] }, isRequired);
    const value = values[member];
    return {
      member,
      name: `${prefix}${member}`,
      label: resolved.title ?? labelOf(member),
      required: isRequired && input.type !== 'check' && input.type !== 'checks',
      value: value == null ? undefined : show(value),
      ...input,
    };
  });
};

/** Returns the object that is given in fields of `fieldsOf`: an empty field has no member, or null if `empty` is null. */
export const objectOf = (fields, given, empty = undefined) =>
  Object.fromEntries(
    fields
      .map(({ member, name, parse }) => [member, given[name] === '' ? empty : parse(given[name])])
      .filter(([, value]) => value !== undefined),
  );
