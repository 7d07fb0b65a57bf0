import type { FieldSet } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import { slotTableOf } from '../db/slots.ts';
import type { Attribute } from './attributes.ts';

/** The field of an attribute. */
export const fieldName = ({ id, identifier }: Pick<Attribute, 'id' | 'identifier'>): string =>
  identifier ?? `dynamic_field_${id}`;

/** Longer texts would not fit an index's entry. */
const longest = 500;

const whole = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
const choices = { type: 'array', items: whole, uniqueItems: true, maxItems: 500 };

/** What an attribute's type makes of its field. */
const kinds: Readonly<Record<string, Partial<Field> & Pick<Field, 'type'>>> = {
  text: { type: 'text', maxLength: longest },
  number: { type: 'number', minimum: -1e12, maximum: 1e12, scale: 6 },
  boolean: { type: 'flag' },
  date: { type: 'date' },
  email: { type: 'text', format: 'email', maxLength: 254 },
  phone: { type: 'text', format: 'phone', maxLength: 40 },
  select: whole,
  level_select: whole,
  multi_select: { type: 'json', items: 'integer', schema: choices },
  file: { ...whole, references: 'files' },
};

/**
 * A resource's fields with those that the tenant's attributes add to them, after the spec's own, of which predefined attributes can
 * demand values.
 */
export const extend = (resource: Resource, attributes: readonly Attribute[]): FieldSet => {
  const own = attributes.filter(({ entity }) => entity === resource.name);
  const demanded = new Set(own.filter(({ required }) => required).map(({ id }) => id));
  const fields: readonly Field[] = [
    ...resource.fields.map(field =>
      field.attribute && demanded.has(field.attribute.id) ? { ...field, required: true as const } : field,
    ),
    ...own.flatMap(attribute => fieldOf(attribute, resource) ?? []),
  ];
  return {
    resource,
    fields,
    byName: new Map(fields.map(field => [field.name, field])),
    deleted: new Set(own.filter(({ deleted }) => deleted).map(fieldName)),
  };
};

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
    storage: slot === 'more' ? { table, column: slot, member: String(id) } : { table, column: slot },
    attribute: { id, type },
  };
};
