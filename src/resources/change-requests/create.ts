import type { components } from '../../../generated/api.ts';
import { resources } from '../../../generated/resources.ts';
import { validationFailed } from '../../core/errors.ts';
import { scopeMissing } from '../../core/resource/access.ts';
import type { Field } from '../../core/resource/resource.ts';
import { root } from '../../core/root.ts';
import type { Transaction } from '../../db/database.ts';
import { rehearse } from '../../db/rehearsal.ts';
import type { Action } from '../../engine/action.ts';
import type { Values } from '../../engine/body.ts';
import { checkReferences } from '../../engine/references/check.ts';
import { insert } from '../../engine/write.ts';
import { putChanges, type Resolved, resolve, type WantedChange } from './changes.ts';
import { showRequest } from './values.ts';

/** POST /change-requests: checks changes of a record as its PUT would, and stores them for a decision. */
export const create: Action<'changeRequests_create'> = (call, db, { put }) =>
  db.joined(async (parts, transaction) => {
    const { entity, entity_id, changes, requested_by = null } = call.body;
    if (call.fields.get(resources[entity]).unreadable) throw scopeMissing(entity);
    const set = call.fields.get(resources['change-requests']);
    const { resolved, errors } = resolve(entity, changes as readonly WantedChange[], call.fields);
    const target = { entity, entity_id };
    const asked = { ...call, body: {}, params: {} };
    const before = await putChanges(target, [], { put, call: asked, db: rehearse(parts) });
    const isThere = 'record' in before;
    const after = isThere ? await putChanges(target, resolved, { put, call: asked, db: rehearse(parts) }) : before;
    // After the rehearsals: a record that this transaction shares could not be locked for an update without a deadlock.
    const given = isThere ? { ...target, requested_by } : { requested_by };
    const referred = await checkReferences(set, given, resources, transaction);
    const failures = [...referred.errors, ...errors, ...('errors' in after ? after.errors : [])];
    if (failures.length > 0 || !isThere || !('record' in after)) throw validationFailed(failures);
    const requested = await describe(resolved, before.record, after.record, transaction);
    const id = await insert(set, { entity, entity_id, requested_by, changes: requested }, transaction);
    const reply = await showRequest(id, asked, transaction);
    return { ...reply, status: 201, headers: { location: `${root}/change-requests/${id}` } };
  });

/** Returns changes as stored: values before and after, and the label and type of each field. */
const describe = async (
  changes: readonly Resolved[],
  before: Values,
  after: Values,
  { kysely }: Transaction,
): Promise<Values[]> => {
  const ids = changes.flatMap(({ field }) => field.attribute?.id ?? []);
  const attributes =
    ids.length > 0
      ? await kysely.selectFrom('attributes').select(['id', 'name', 'type']).where('id', 'in', ids).execute()
      : [];
  const byId = new Map(attributes.map(attribute => [attribute.id, attribute]));
  return changes.map(({ field }) => {
    const attribute = byId.get(field.attribute?.id ?? 0);
    return {
      attribute_id: attribute?.id ?? null,
      field: field.name,
      name: attribute?.name ?? labelOf(field),
      type: attribute?.type ?? typeOf(field),
      old_value: before[field.name] ?? null,
      new_value: after[field.name] ?? null,
    };
  });
};

/** Returns the label of a field without an attribute: `wage_profile_id` is "Wage profile". */
const labelOf = ({ name }: Field): string => {
  const words = name.replace(/_id$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Returns the attribute type that a field without an attribute would have. */
const typeOf = ({ type }: Field): components['schemas']['AttributeType'] => types[type];

const types = {
  integer: 'number',
  number: 'number',
  flag: 'boolean',
  text: 'text',
  date: 'date',
  date_time: 'date',
  json: 'multi_select',
} as const;
