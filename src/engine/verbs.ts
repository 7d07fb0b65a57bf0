import { create } from './create.ts';
import { deleteRecord } from './delete.ts';
import { list } from './list.ts';
import { read } from './read.ts';
import { update } from './update.ts';
import type { Verbs } from './verb.ts';

/** The operations that the engine serves for every resource, by the name that the document has for them (`x-verb`). */
export const verbs: Verbs = { list, read, create, update, delete: deleteRecord };
