import { resources } from '../../generated/resources.ts';
import { validationFailed } from '../errors.ts';
import { draftCreate } from './body.ts';
import { translateConstraints } from './constraints.ts';
import { checkReferences } from './references.ts';
import { rulesOf } from './rules.ts';
import { refuseParameters, showRecord, type Verb } from './verb.ts';
import { insert } from './write.ts';

/** POST /{resource}: adds a record, if nothing at all stands against it, and shows it (201, Location). */
export const create: Verb = async (call, resource, db) => {
  refuseParameters(call.parameters);
  const set = call.fields.of(resource);
  const { values, errors } = draftCreate(set, call.body, call.principal.tenant.timeZone);
  const rules = rulesOf(resource);
  return translateConstraints(() =>
    db.transaction(async transaction => {
      const failures = [...errors, ...(await checkReferences(set, values, resources, transaction))];
      if (failures.length === 0) failures.push(...(await rules.check({ before: null, after: values }, transaction)));
      if (failures.length > 0) throw validationFailed(failures);
      const id = await insert(set, values, transaction);
      await rules.follow({ before: null, after: { ...values, [resource.key]: id } }, transaction);
      const reply = await showRecord(resource, id, call, transaction);
      return { ...reply, status: 201, headers: { location: `/api/v1/${resource.name}/${id}` } };
    }),
  );
};
