import { ApiError, validationFailed } from '../core/errors.ts';
import type { Json } from '../core/reply.ts';
import { translateConstraints } from './constraints.ts';
import { requireMatch } from './precondition.ts';
import { rulesOf } from './rules.ts';
import { isBelow, type Verb } from './verb.ts';
import { lock, remove, update } from './write.ts';

/** DELETE /{resource}/{id}: removes the record or, where its resource keeps deleted ones, marks it inactive (204). */
export const deleteRecord: Verb = async (call, resource, db) => {
  const set = call.fields.of(resource);
  const rules = rulesOf(resource);
  return translateConstraints(resource, () =>
    db.transaction(async transaction => {
      await rules.lock?.({ id: call.id, body: {} }, transaction);
      const before = await lock(set, call.id, transaction);
      if (!before || !isBelow(before, call.parent)) throw new ApiError('not_found');
      await requireMatch(call, resource, transaction);
      const mark = resource.keepsDeleted && resource.inactive;
      const values: Record<string, Json> = mark ? { [mark.field]: flagValue(mark.value) } : {};
      const change = { before, after: mark ? { ...before, ...values } : null };
      const failures = await rules.check(change, transaction, call);
      if (failures.length > 0) throw validationFailed(failures);
      if (mark) await update(set, call.id, values, transaction);
      else await remove(set, call.id, transaction);
      await rules.follow(change, transaction, call);
      return { status: 204, headers: {}, body: null };
    }),
  );
};

/** Flags are 0 or 1 wherever values are. */
const flagValue = (value: number | boolean): number => Number(value);
