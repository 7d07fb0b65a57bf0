import { create } from './create.ts';
import { deleteRecord } from './delete.ts';
import { list } from './list.ts';
import { read } from './read.ts';
import type { Rules } from './rules.ts';
import { update } from './update.ts';
import { upsert } from './upsert.ts';
import type { Verb, Verbs } from './verb.ts';

/**
 * The operations that the engine serves for every resource, by the name that the document has for them (`x-verb`).
 * @param rules those of the resources that have some, by name
 */
export const createVerbs = (rules: Readonly<Record<string, Rules>>): Verbs => {
  const ruled =
    (write: typeof create): Verb =>
    (call, resource, db) =>
      write(call, resource, db, rules[resource.name] ?? {});
  return {
    list,
    read,
    create: ruled(create),
    update: ruled(update),
    upsert: ruled(upsert),
    delete: ruled(deleteRecord),
  };
};
