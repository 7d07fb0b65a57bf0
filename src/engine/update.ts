import { resources } from '../../generated/resources.ts';
import { ApiError, validationFailed } from '../core/errors.ts';
import { draftUpdate } from './body.ts';
import { translateConstraints } from './constraints.ts';
import { requireMatch } from './precondition.ts';
import { checkReferences } from './references.ts';
import { rulesOf } from './rules.ts';
import { isBelow, showRecord, type Verb } from './verb.ts';
import { lock, update as write } from './write.ts';

/** PUT /{resource}/{id}: changes the fields that the body brings with another value, and shows the record. */
export const update: Verb = async (call, resource, db) => {
  const set = call.fields.of(resource);
  const rules = rulesOf(resource);
  return translateConstraints(resource, () =>
    db.transaction(async transaction => {
      await rules.lock?.({ id: call.id, body: call.body }, transaction);
      const before = await lock(set, call.id, transaction);
      if (!before || !isBelow(before, call.parent)) throw new ApiError('not_found');
      await requireMatch(call, resource, transaction);
      const { values, errors } = draftUpdate(set, call.body, before, call.principal.tenant.timeZone);
      const after = { ...before, ...values };
      const changed = Object.keys(values).length > 0;
      const failures = [...errors, ...(await checkReferences(set, values, resources, transaction, before))];
      if (failures.length === 0 && changed) failures.push(...(await rules.check({ before, after }, transaction, call)));
      if (failures.length > 0) throw validationFailed(failures);
      if (changed) {
        await write(set, call.id, values, transaction);
        await rules.follow({ before, after }, transaction, call);
      }
      return showRecord(resource, call.id, call, transaction);
    }),
  );
};
