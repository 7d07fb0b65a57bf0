/** The standard operations of resources, as named in the OpenAPI document (`x-verb`). */
export type VerbName = 'list' | 'read' | 'create' | 'update' | 'upsert' | 'delete' | 'import';
