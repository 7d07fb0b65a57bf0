import { type DeletedField, type FieldSet, fieldsOf } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import { slotTableOf } from '../db/slots.ts';
import type { Attribute } from './attributes.ts';

/** Returns the name of an attribute's field. */
export const fieldName = ({ id, identifier }: Pick<Attribute, 'id' | 'identifier'>): string =>
  identifier ?? `dynamic_field_${id}`;

/** Longer strings would not fit into an index entry. */
const maxLength = 500;

const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
/** Values of a collection, each by its id or its identifier. */
const choices = {
  type: 'array',
  items: { anyOf: [id, { type: 'string', minLength: 1, maxLength: 255 }] },
  uniqueItems: true,
  maxItems: 500,
};

/** The properties of a field by its attribute's type. */
const kinds: Readonly<Record<string, Partial<Field> & Pick<Field, 'type'>>> = {
  text: { type: 'text', lines: 'one', maxLength },
  number: { type: 'number', minimum: -1e12, maximum: 1e12, scale: 6 },
  boolean: { type: 'flag' },
  date: { type: 'date' },
  email: { type: 'text', lines: 'one', format: 'email', maxLength: 254 },
  phone: { type: 'text', lines: 'one', format: 'phone', maxLength: 40 },
  select: id,
  level_select: id,
  multi_select: { type: 'json', items: 'integer', schema: choices },
  file: id,
};

/**
 * Returns a resource's fields: those of the spec, then those of the tenant's other attributes.
 * Predefined attributes can make fields of the spec required.
 */
export const extend = (resource: Resource, attributes: readonly Attribute[]): FieldSet => {
  const own = attributes.filter(({ entity }) => entity === resource.name);
  if (own.length === 0) return fieldsOf(resource);
  const requiredIds = new Set(own.filter(({ required }) => required).map(({ id }) => id));
  const fields: readonly Field[] = [
    ...resource.fields.map(field =>
      field.attribute && requiredIds.has(field.attribute.id) ? { ...field, required: true as const } : field,
    ),
    ...own.flatMap(attribute => fieldOf(attribute, resource) ?? []),
  ];
  return {
    resource,
    fields,
    byName: new Map(fields.map(field => [field.name, field])),
    relations: resource.relations,
    deleted: new Map(
      own.filter(({ deleted }) => deleted).map(attribute => [fieldName(attribute), traitsOf(attribute)]),
    ),
  };
};

/** Returns what is known of the field of an attribute that has been deleted, too. */
const traitsOf = ({ type, category }: Attribute): DeletedField => ({
  ...(category !== null && { sensitive: category }),
  ...(type === 'file' && { references: 'files' }),
});

const fieldOf = (attribute: Attribute, resource: Resource): Field | null => {
  const { id, slot, type, required, deleted } = attribute;
  const kind = kinds[type];
  if (slot === null || deleted || !kind) return null;
  const table = slotTableOf(resource.table);
  return {
    name: fieldName(attribute),
    access: 'write',
    nullable: true,
    ...kind,
    ...(required && { required }),
    ...traitsOf(attribute),
    ...(resource.dynamic !== null && { derivedFrom: [resource.dynamic] }),
    storage: slot === 'more' ? { table, column: slot, member: String(id) } : { table, column: slot },
    attribute: { id, type },
  };
};
