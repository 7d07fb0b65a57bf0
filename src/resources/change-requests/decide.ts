import { isDeepStrictEqual } from 'node:util';
import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import type { Json } from '../../core/call/reply.ts';
import { isOn } from '../../core/call/switch.ts';
import { ApiError, type FieldError, fieldError, invalidField, validationFailed } from '../../core/errors.ts';
import { isAllowed, scopeMissing } from '../../core/resource/access.ts';
import { completeFields, type FieldSet } from '../../core/resource/fields.ts';
import { now } from '../../db/now.ts';
import type { Action } from '../../engine/action.ts';
import type { Values } from '../../engine/body.ts';
import { type ChangeTarget, putChanges, resolve, type WantedChange } from './changes.ts';
import { showRequest } from './values.ts';

const OPEN = 1;
const ACCEPTED = 2;

/**
 * PUT /change-requests/{id}/decision: makes the changes of an open request, or rejects them.
 * See docs/decisions.md, "Change requests".
 */
export const decide: Action<'changeRequests_decide'> = (call, db, { put }) =>
  db.joined(async (parts, transaction) => {
    const { id, body } = call;
    const { kysely } = transaction;
    const request = await kysely
      .selectFrom('change_requests')
      .select(['entity', 'entity_id', 'status', 'changes'])
      .where('id', '=', id)
      // Weaker than a lock for removal, so that a removal of the employee who requested it is not waited for.
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!request) throw new ApiError('not_found');
    if (request.status !== OPEN)
      throw invalidField('invalid_transition', 'status', 'The change request has been decided.');
    const asked = { ...call, body: {}, params: { id } };
    if (body.status === ACCEPTED) {
      const target = request as ChangeTarget;
      const { apiUser } = call.principal;
      if (call.fields.get(resources[target.entity]).unreadable) throw scopeMissing(target.entity);
      if (!isAllowed(apiUser, target.entity, 'write')) throw scopeMissing(target.entity, 'write');
      const changes = request.changes as unknown as readonly RequestedChange[];
      // All changes are made, those that are hidden from the API user too.
      const fields = completeFields(call.fields);
      const { resolved, errors } = resolve(target.entity, changes, fields);
      const asPut = { put, call: { ...asked, fields }, db: parts };
      // Without changes: locks the record until the transaction ends, and reads it.
      const present = await putChanges(target, [], asPut);
      const meanwhile =
        'record' in present && !isOn(call.parameters, 'force') ? changedMeanwhile(changes, present.record, call) : [];
      const outcome = 'record' in present ? await putChanges(target, resolved, asPut) : present;
      const failures: readonly FieldError[] = [...errors, ...meanwhile, ...('errors' in outcome ? outcome.errors : [])];
      if (failures.length > 0)
        throw validationFailed(shownErrors(failures, changes, call.fields.get(resources[target.entity])));
    }
    await kysely
      .updateTable('change_requests')
      .set({ status: body.status, decided_at: now })
      .where('id', '=', id)
      .execute();
    return showRequest(id, asked, transaction);
  });

/** A change as it is stored. */
interface RequestedChange extends WantedChange {
  readonly old_value?: Json;
}

/** Returns the errors of changes whose field has neither the old value nor the new one. */
const changedMeanwhile = (
  changes: readonly RequestedChange[],
  record: Values,
  { fields }: Pick<Call, 'fields'>,
): readonly FieldError[] => {
  const { mask } = fields.get(resources['change-requests']).byName.get('changes') ?? {};
  return changes.flatMap(({ field = '', old_value = null, new_value }, index) => {
    const value = record[field];
    if (value === undefined || [old_value, new_value].some(known => isDeepStrictEqual(known, value))) return [];
    const message = `${field} has been changed since the change was requested.`;
    const values = mask?.items?.hidden.has('old_value') ? {} : { old_value, value };
    return [fieldError('changed_meanwhile', `changes.${index}.new_value`, message, values)];
  });
};

/** Returns the errors without what they reveal of hidden fields. */
const shownErrors = (
  errors: readonly FieldError[],
  changes: readonly WantedChange[],
  set: FieldSet,
): readonly FieldError[] => {
  const isHidden = ({ field }: FieldError): boolean => {
    const [, index] = /^changes\.(\d+)/.exec(field) ?? [];
    const name = index === undefined ? field : changes[Number(index)]?.field;
    return set.complete !== undefined && name !== undefined && !set.byName.has(name) && name !== 'entity_id';
  };
  const shown = errors.filter(error => !isHidden(error));
  const hidden = fieldError('rule_not_met', 'status', 'The changes of fields that are hidden are not valid.');
  return shown.length < errors.length ? [...shown, hidden] : shown;
};
