import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import { ApiError, validationFailed } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { changesOf, draftUpdate } from './body.ts';
import { translateConstraints } from './constraints.ts';
import { requireMatch } from './precondition.ts';
import { checkReferences } from './references/check.ts';
import { judge, type Rules } from './rules.ts';
import { isBelow, showRecord } from './verb.ts';
import { lock, update as write } from './write.ts';

/** PUT /{resource}/{id}: changes the fields that the body brings with another value, and shows the record. */
export const update = async (call: Call, resource: Resource, db: TenantDb, rules: Rules): Promise<Reply> => {
  const set = call.fields.get(resource);
  return translateConstraints(resource, () =>
    db.transaction(async transaction => {
      await rules.lock?.({ id: call.id, body: call.body }, transaction);
      const before = await lock(set, call.id, transaction);
      if (!before || !isBelow(before, call.parent)) throw new ApiError('not_found');
      await requireMatch(call, resource, transaction);
      const draft = draftUpdate(set, call.body, before, call.principal.tenant.timeZone, call.findings);
      const referred = await checkReferences(set, draft.values, call.resources, transaction, before);
      const values = changesOf(referred.values, before);
      const after = { ...before, ...values };
      const failures = [...draft.errors, ...referred.errors];
      if (failures.length > 0) throw validationFailed(failures);
      if (Object.keys(values).length > 0) {
        const found = await judge(rules, { before, after }, transaction, call);
        await write(set, call.id, values, transaction);
        await rules.follow?.({ before, after }, transaction, call, found);
      }
      return showRecord(resource, call.id, call, transaction);
    }),
  );
};
