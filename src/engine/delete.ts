import type { Call } from '../core/call/call.ts';
import type { Json, Reply } from '../core/call/reply.ts';
import { ApiError } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { translateConstraints } from './constraints.ts';
import { requireMatch } from './precondition.ts';
import { addressed, hasExternalId } from './references/external-id.ts';
import { requireUnreferenced } from './references/holders.ts';
import { judge, type Rules } from './rules.ts';
import { isBelow } from './verb.ts';
import { lock, remove, update } from './write.ts';

/** DELETE /{resource}/{id}: removes the record or, where its resource keeps deleted ones, marks it inactive (204). */
export const deleteRecord = async (
  call: Call,
  resource: Resource,
  db: TenantDb,
  rules: Rules,
): Promise<Reply<204, null>> => {
  const set = call.fields.get(resource);
  return translateConstraints(resource, () =>
    db.transaction(async transaction => {
      const id = await addressed(call, resource, transaction);
      if (id === null) throw new ApiError('not_found');
      await rules.lock?.({ id, body: {} }, transaction);
      const before = await lock(set, id, transaction);
      if (!before || !isBelow(before, call.parent) || !hasExternalId(before, resource, call))
        throw new ApiError('not_found');
      await requireMatch({ ...call, id }, resource, transaction);
      const mark = resource.keepsDeleted && resource.inactive;
      const values: Record<string, Json> = mark ? { [mark.field]: flagValue(mark.value) } : {};
      const change = { before, after: mark ? { ...before, ...values } : null };
      const found = await judge(rules, change, transaction, call);
      if (mark) await update(set, id, values, transaction);
      else {
        await requireUnreferenced(resource, before, call, transaction);
        await rules.clear?.(id, transaction);
        await remove(set, id, transaction);
      }
      await rules.follow?.(change, transaction, call, found);
      return { status: 204, headers: {}, body: null };
    }),
  );
};

/** Flags are 0 or 1 wherever values are. */
const flagValue = (value: number | boolean): number => Number(value);
