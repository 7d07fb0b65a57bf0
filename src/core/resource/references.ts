import type { Field } from './resource.ts';

/** A reference of a field, or of each item of its list, to records of a resource. */
export interface Reference {
  readonly resource: string;
  /** The field of that resource that is referred to; null: its id. */
  readonly by: string | null;
  /** The reference applies to records whose field has this value; null: to all. */
  readonly when: { readonly field: string; readonly value: string } | null;
}

/** Returns the references of a field: several if another field determines the resource. */
export const referencesOf = ({ references, referencesBy, referencesOneOf }: Field): readonly Reference[] => [
  ...(references === undefined ? [] : [{ resource: references, by: referencesBy ?? null, when: null }]),
  ...Object.entries(referencesOneOf?.resources ?? {}).map(([value, resource]) => ({
    resource,
    by: null,
    when: { field: referencesOneOf?.field ?? '', value },
  })),
];

/** Whether the column of the field has a foreign key for the reference. */
export const hasKey = ({ type, storage, computed }: Field, { by, when }: Reference): boolean =>
  type === 'integer' && !storage && !computed && by === null && when === null;
