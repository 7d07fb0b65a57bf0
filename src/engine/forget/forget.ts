import type { Call } from '../../core/call/call.ts';
import type { Json, Reply } from '../../core/call/reply.ts';
import { completeSet, type FieldSet } from '../../core/resource/fields.ts';
import type { Forgettable } from '../../core/resource/forgettable.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import type { TenantDb } from '../../db/database.ts';
import type { Files } from '../../files/files.ts';
import { changesOf, type Values } from '../body.ts';
import { translateConstraints } from '../constraints.ts';
import { lockAddressed } from '../precondition.ts';
import { judge, type Rules } from '../rules.ts';
import { update } from '../write.ts';
import { emptyBeside } from '../writing/beside.ts';
import { clearInbox, clearResults, findCopies } from './copies.ts';
import { readFiles, removeUnheld } from './files.ts';
import { forgottenAt } from './forgotten.ts';
import { clearParts, lockParts } from './parts.ts';
import { clearReplies } from './replies.ts';

/** The name of a person who has been forgotten. */
const anonymous = 'Anonymised';

/**
 * DELETE /{resource}/{id}?anonymize=true:
 * clears what identifies the person, in the record and in all records that are part of it, and keeps the records (204). Copies of
 * what they showed are cleared as well. Files that nothing else refers to are removed: their records in the same transaction, their
 * content after it. A repetition changes nothing. See docs/decisions.md, "Forgetting a person".
 */
export const forget = async (
  files: Files,
  call: Call,
  resource: Resource,
  db: TenantDb,
  rules: Rules,
): Promise<Reply<204, null>> => {
  const set = completeSet(call.fields.get(resource));
  const { forgettable } = resource;
  if (!forgettable) throw new Error(`${resource.name} are not people.`);
  const removed = await translateConstraints(resource, () =>
    db.transaction(async transaction => {
      findCopies(transaction);
      const lock: Rules['lock'] = async (target, transaction) => {
        await rules.lock?.(target, transaction);
        if (target.id !== null) await rules.forget?.(target.id, transaction, call);
      };
      const { id, before } = await lockAddressed(call, resource, transaction, { lock });
      const parts = await lockParts(resource, forgettable, id, transaction);
      const held = await readFiles(set, before, parts, transaction);
      const wanted = { ...forgotten(set, forgettable), ...forgottenAt(before, call.principal.tenant) };
      const values = changesOf(wanted, before);
      if (Object.keys(values).length > 0) {
        const change = { before, after: { ...before, ...values } };
        const { found } = await judge(rules, change, transaction, call);
        await update(set, id, values, before, transaction);
        await rules.follow?.(change, transaction, call, found);
      }
      if (resource.dynamic) await emptyBeside(resource, id, transaction);
      await clearParts(parts, transaction);
      const unheld = await removeUnheld(held, forgettable.files, call, transaction);
      const shown = [
        { resource: resource.name, ids: [id] },
        ...parts.map(({ part, ids }) => ({ ...part, ids })),
        { resource: forgettable.files, ids: unheld.ids },
      ];
      const names = namesIn(forgettable, before);
      await clearReplies(shown, names, transaction);
      await clearInbox(shown, names, transaction);
      const externalId = before[resource.externalKey ?? ''] ?? null;
      await clearResults(shown, names, { resource: resource.name, externalId }, transaction);
      return unheld.paths;
    }),
  );
  if (!db.rehearsed) for (const path of removed) await files.remove(db.tenant.id, path);
  return { status: 204, headers: {}, body: null };
};

/** Whether a field of a person is cleared: the marked ones, except pay, and those of the tenant. */
const isCleared = ({ computed, sensitive, storage }: Field): boolean =>
  !computed && (storage !== undefined || (sensitive !== undefined && sensitive !== 'pay'));

/** Returns the values of a person who has been forgotten. */
const forgotten = ({ resource, fields }: FieldSet, { names }: Forgettable): Values => {
  const values: Record<string, Json> = {};
  for (const field of fields.filter(isCleared)) values[field.name] = field.nullable || field.storage ? null : [];
  for (const name of names) values[name] = anonymous;
  if (resource.inactive) values[resource.inactive.field] = Number(resource.inactive.value);
  return values;
};

/** Returns the person's names, by which responses with other records show the person. */
const namesIn = ({ names }: Forgettable, before: Values): readonly string[] =>
  names.map(name => before[name] ?? null).filter(name => typeof name === 'string' && name !== anonymous) as string[];
