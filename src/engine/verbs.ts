import type { Verbs } from '../http/operation/handlers.ts';
import { create } from './create.ts';
import { deleteRecord } from './delete.ts';
import { list } from './list.ts';
import { read } from './read.ts';
import { update } from './update.ts';

/** The operations that the engine serves for every resource, by the name that the document has for them (`x-verb`). */
export const verbs: Verbs = { list, read, create, update, delete: deleteRecord };
