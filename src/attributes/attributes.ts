import type { Category } from '../core/resource/categories.ts';
import type { Result } from '../db/database.ts';
import { tenantStatement } from '../db/enter.ts';

/** A tenant's definition of a field: an attribute of one of its forms. */
export interface Attribute {
  readonly id: number;
  /** The name of the resource that has the field. */
  readonly entity: string;
  /** The field that a predefined attribute is bound to; null: `dynamic_field_<id>`. */
  readonly identifier: string | null;
  /** The label. */
  readonly name: string;
  readonly type: string;
  readonly collectionId: number | null;
  readonly required: boolean;
  /** Category of sensitive data; null: none. */
  readonly category: Category | null;
  /** The column that holds the values; null for predefined ones, which have a column of their own. */
  readonly slot: string | null;
  /** Deleted attributes are kept for their names, and for what stays hidden with their category. */
  readonly deleted: boolean;
}

/** Types whose values are chosen from a collection. */
export const selects: ReadonlySet<string> = new Set(['select', 'multi_select', 'level_select']);

/**
 * Reads the attributes that are fields of records, in the order of the forms.
 * They include deleted ones, and those that have or had a category.
 */
export const attributesStatement = tenantStatement(
  'dynamic_attributes',
  `
    select coalesce(a.id, d.id, g.id), coalesce(d.entity, f.entity), a.identifier, coalesce(a.name, ''), coalesce(a.type, g.type, ''),
      a.collection_id, coalesce(a.required, false), d.slot, d.deleted_at is not null,
      coalesce(a.category, g.category)
    from (select * from attributes where tenant_id = $1) a
    full join (select * from dynamic_fields where tenant_id = $1) d on d.id = a.id
    full join (select * from dynamic_deleted_attributes where tenant_id = $1) g on g.id = coalesce(a.id, d.id)
    left join forms f on f.tenant_id = $1 and f.id = a.entity_id
    where d.id is not null or g.id is not null or a.identifier is not null or a.category is not null
    order by a.entity_id, a."order", 1`,
);

/** Returns the attributes that `attributesStatement` has read. */
export const attributesOf = (result: Result | undefined): readonly Attribute[] =>
  (result?.rows ?? []).map(([id, entity, identifier, name, type, collectionId, required, slot, deleted, category]) => ({
    id: Number(id),
    entity: entity ?? '',
    identifier: identifier ?? null,
    name: name ?? '',
    type: type ?? '',
    collectionId: collectionId ? Number(collectionId) : null,
    required: required === 't',
    category: (category as Category | null | undefined) ?? null,
    slot: slot ?? null,
    deleted: deleted === 't',
  }));
