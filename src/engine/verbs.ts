import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import { isOn } from '../core/call/switch.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import type { Files } from '../files/files.ts';
import { create } from './create.ts';
import { deleteRecord } from './delete.ts';
import { forget } from './forget/forget.ts';
import { list } from './list.ts';
import { read } from './read.ts';
import type { Rules } from './rules.ts';
import { update } from './update.ts';
import { upsert } from './upsert.ts';
import type { Verb, Verbs } from './verb.ts';

/**
 * The operations that the engine serves for every resource, by their `x-verb` in the document.
 * @param rules those of the resources that have some, by name
 * @param files where the files of people who are forgotten are removed from
 */
export const createVerbs = (rules: Readonly<Record<string, Rules>>, files: Files): Omit<Verbs, 'import'> => {
  const ruled =
    (verb: (call: Call, resource: Resource, db: TenantDb, rules: Rules) => Promise<Reply>): Verb =>
    resource =>
    (call, db) =>
      verb(call, resource, db, rules[resource.name] ?? {});
  // Only operations on people who can be forgotten have the parameter: others reject it.
  const removal: typeof deleteRecord = (call, ...rest) =>
    isOn(call.parameters, 'anonymize') ? forget(files, call, ...rest) : deleteRecord(call, ...rest);
  return {
    list: (resource, services) => list(resource, rules[resource.name], services),
    read: resource => (call, db) => read(call, resource, db),
    create: ruled(create),
    update: ruled(update),
    upsert: ruled(upsert),
    delete: ruled(removal),
  };
};
