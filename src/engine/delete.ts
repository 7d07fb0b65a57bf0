import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { changesOf, type Values } from './body.ts';
import { translateConstraints } from './constraints.ts';
import { lockAddressed } from './precondition.ts';
import { requireUnreferenced } from './references/holders.ts';
import { judge, type Rules } from './rules.ts';
import { remove, update } from './write.ts';

/**
 * DELETE /{resource}/{id}: removes the record or marks it inactive (204).
 * See docs/decisions.md, "Deletion".
 */
export const deleteRecord = async (
  call: Call,
  resource: Resource,
  db: TenantDb,
  rules: Rules,
): Promise<Reply<204, null>> => {
  const set = call.fields.get(resource);
  return translateConstraints(resource, () =>
    db.transaction(async transaction => {
      const { id, before } = await lockAddressed(call, resource, transaction, rules);
      const mark = resource.keepsDeleted && resource.inactive;
      const values: Values = mark ? changesOf({ [mark.field]: flagValue(mark.value) }, before) : {};
      if (mark && Object.keys(values).length === 0) return done;
      const change = { before, after: mark ? { ...before, ...values } : null };
      const { found } = await judge(rules, change, transaction, call);
      if (mark) await update(set, id, values, before, transaction);
      else {
        await requireUnreferenced(resource, before, call, transaction);
        await rules.clear?.(id, transaction);
        remove(set, id, before, transaction);
      }
      await rules.follow?.(change, transaction, call, found);
      return done;
    }),
  );
};

const done: Reply<204, null> = { status: 204, headers: {}, body: null };

/** Flags are 0 or 1 wherever values are. */
const flagValue = (value: number | boolean): number => Number(value);
