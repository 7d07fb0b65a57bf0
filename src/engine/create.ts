import { resources } from '../../generated/resources.ts';
import { ApiError, fieldError, validationFailed } from '../core/errors.ts';
import type { Parent } from '../core/parent.ts';
import { draftCreate, type Values } from './body.ts';
import { translateConstraints } from './constraints.ts';
import { checkReferences } from './references.ts';
import { rulesOf } from './rules.ts';
import { showRecord, type Verb } from './verb.ts';
import { insert } from './write.ts';

/** POST /{resource}: adds a record, if nothing at all stands against it, and shows it (201, Location). */
export const create: Verb = async (call, resource, db) => {
  const set = call.fields.of(resource);
  const { parent } = call;
  const { values, errors } = draftCreate(set, below(call.body, parent), call.principal.tenant.timeZone);
  if (parent && values[parent.field] !== parent.id) errors.push(fieldError('read_only', parent.field));
  const rules = rulesOf(resource);
  return translateConstraints(resource, () =>
    db.transaction(async transaction => {
      await rules.lock?.({ id: null, body: values }, transaction);
      const failures = [...errors, ...(await checkReferences(set, values, resources, transaction))];
      if (failures.some(({ code, field }) => code === 'reference_not_found' && field === parent?.field))
        throw new ApiError('not_found');
      const known = failures.length === 0 ? await rules.known?.(values, transaction) : null;
      if (known) return showRecord(resource, known, call, transaction);
      if (failures.length === 0)
        failures.push(...(await rules.check({ before: null, after: values }, transaction, call)));
      if (failures.length > 0) throw validationFailed(failures);
      const id = await insert(set, values, transaction);
      await rules.follow({ before: null, after: { ...values, [resource.key]: id } }, transaction, call);
      const reply = await showRecord(resource, id, call, transaction);
      return { ...reply, status: 201, headers: { location: `${parent?.path ?? `/api/v1/${resource.name}`}/${id}` } };
    }),
  );
};

/** The body with the id of the record whose path it was sent to. */
const below = (body: Values, parent: Parent | null): Values => (parent ? { [parent.field]: parent.id, ...body } : body);
