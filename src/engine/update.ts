import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import { ApiError, validationFailed } from '../core/errors.ts';
import { completeFields } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { changesOf, draftUpdate, type Values } from './body.ts';
import { translateConstraints } from './constraints.ts';
import { isForgotten } from './forget/forgotten.ts';
import { lockRecord } from './precondition.ts';
import { checkReferences } from './references/check.ts';
import { type Identified, identifiedErrors, identify } from './references/external-id.ts';
import { settleRelated } from './references/settle.ts';
import { judge, type Rules } from './rules.ts';
import { endWithRecord } from './verb.ts';
import { type Written, update as write } from './write.ts';

/**
 * PUT /{resource}/{id}: changes the fields with another value, and shows the record.
 * See docs/decisions.md, "Fields in requests".
 */
export const update = async (call: Call, resource: Resource, db: TenantDb, rules: Rules): Promise<Reply> =>
  translateConstraints(resource, () =>
    db.transaction(async transaction => {
      const identified = await identify(call, resource, transaction);
      const updated = await updateIn(call, identified, resource, transaction, rules);
      if (!updated) throw new ApiError('not_found');
      return updated;
    }),
  );

/** Changes and shows the identified record in the transaction, as PUT does; null: there is none. */
export const updateIn = async (
  call: Call,
  identified: Identified,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
): Promise<Reply | null> => {
  const written = await changeRecord(call, identified, resource, transaction, rules);
  return written && endWithRecord(resource, written.id, call, transaction);
};

/**
 * Changes the identified record of a call in the transaction, as PUT does.
 * Null: there is no such record.
 * @throws ApiError validation_failed (422), precondition_failed (412), record_forgotten (409)
 */
export const changeRecord = async (
  call: Call,
  identified: Identified,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
): Promise<Written | null> => {
  const set = call.fields.get(resource);
  const { id, principal, findings } = call;
  const locked = await lockRecord(call, resource, transaction, rules, identified.body);
  if (!locked) return null;
  const { before, inherited } = locked;
  if (isForgotten(resource, before)) throw new ApiError('record_forgotten');
  const settled = await settleRelated(identified, resource, { id, before }, call, transaction);
  const draft = draftUpdate(set, settled.body, before, principal.tenant.timeZone, findings, inherited);
  const referred = await checkReferences(set, draft.values, call.resources, transaction, before);
  const values = changesOf(withoutEmptied(referred.values, inherited), before);
  const failures = [...identifiedErrors(settled, draft.errors, resource, id), ...referred.errors];
  if (failures.length > 0) throw validationFailed(failures);
  if (Object.keys(values).length === 0) return { id, outcome: 'unchanged' };
  const { found } = await judge(rules, { before, after: { ...before, ...values } }, transaction, call);
  const after = await write(set, id, values, before, transaction, completeFields(call.fields));
  await rules.follow?.({ before, after }, transaction, call, found);
  return { id, outcome: 'updated' };
};

/** Returns the values without nulls for fields that have no value of their own already. */
const withoutEmptied = (values: Values, inherited: ReadonlySet<string>): Values =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== null || !inherited.has(name)));
