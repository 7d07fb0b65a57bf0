/** The operations that every resource may have, as the document names them (`x-verb`). */
export type VerbName = 'list' | 'read' | 'create' | 'update' | 'delete';
