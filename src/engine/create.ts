import type { Call } from '../core/call/call.ts';
import type { Parent } from '../core/call/parent.ts';
import type { Reply } from '../core/call/reply.ts';
import { ApiError, fieldError, validationFailed } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import { root } from '../core/root.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { draftCreate, type Values } from './body.ts';
import { translateConstraints } from './constraints.ts';
import { checkReferences } from './references/check.ts';
import { type Identified, identifiedErrors, identify } from './references/external-id.ts';
import { settleRelated } from './references/settle.ts';
import { judge, type Rules } from './rules.ts';
import { endWithRecord } from './verb.ts';
import { insert, type Written } from './write.ts';

/** POST /{resource}: adds a record, if nothing at all stands against it, and shows it (201, Location). */
export const create = async (call: Call, resource: Resource, db: TenantDb, rules: Rules): Promise<Reply> =>
  translateConstraints(resource, () =>
    db.transaction(async transaction =>
      createIn(call, await identify(call, resource, transaction), resource, transaction, rules),
    ),
  );

/** Adds the identified record of a call in the transaction, as POST does, and shows it. */
export const createIn = async (
  call: Call,
  identified: Identified,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
): Promise<Reply> => {
  const { id, outcome } = await addRecord(call, identified, resource, transaction, rules);
  const reply = await endWithRecord(resource, id, call, transaction);
  if (outcome !== 'created') return reply;
  const location = `${call.parent?.path ?? `${root}/${resource.name}`}/${id}`;
  return { ...reply, status: 201, headers: { ...reply.headers, location } };
};

/**
 * Adds the identified record of a call in the transaction, as POST does.
 * `unchanged`: it is the one that the call would only repeat.
 * @throws ApiError validation_failed (422), not_found (404) if the parent in the path does not exist
 */
export const addRecord = async (
  call: Call,
  identified: Identified,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
): Promise<Written> => {
  const set = call.fields.get(resource);
  const { parent, principal, findings } = call;
  const settled = await settleRelated(identified, resource, null, call, transaction);
  const { values: draft, errors } = draftCreate(set, below(settled.body, parent), principal.tenant.timeZone, findings);
  if (parent && draft[parent.field] !== parent.id) errors.push(fieldError('read_only', parent.field));
  await rules.lock?.({ id: null, body: draft }, transaction);
  const referred = await checkReferences(set, draft, call.resources, transaction);
  const { values } = referred;
  const failures = [...identifiedErrors(settled, errors, resource, null), ...referred.errors];
  if (failures.some(({ code, field }) => code === 'reference_not_found' && field === parent?.field))
    throw new ApiError('not_found');
  if (failures.length > 0) throw validationFailed(failures);
  const known = await rules.known?.(values, transaction);
  if (known) return { id: known, outcome: 'unchanged' };
  const { found, copied } = await judge(rules, { before: null, after: values }, transaction, call);
  const id = await insert(set, values, transaction, copied);
  await rules.follow?.({ before: null, after: { ...values, [resource.key]: id } }, transaction, call, found);
  return { id, outcome: 'created' };
};

/** The body with the id of the record whose path it was sent to. */
const below = (body: Values, parent: Parent | null): Values => (parent ? { [parent.field]: parent.id, ...body } : body);
