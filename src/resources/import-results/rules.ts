import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import { ApiError } from '../../core/errors.ts';
import { isAllowed, scopeMissing } from '../../core/resource/access.ts';
import type { FieldSet, Fields } from '../../core/resource/fields.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Rules } from '../../engine/rules.ts';
import { planRecord } from '../../query/listing.ts';
import { readPage } from '../../query/read.ts';
import { shownErrors } from './shown-errors.ts';

/** Results of an import are shown to those who may read its records, as these are shown to them. */
export const importResults: Rules = {
  view: async (call, db) => {
    const { scopes, hidden } = call.principal.apiUser;
    if (scopes.length === 0 && hidden.length === 0) return call;
    const name = await importedBy(call, db);
    if (!isAllowed(call.principal.apiUser, name, 'read')) throw scopeMissing(name);
    const resource = call.resources[name];
    return hidden.length > 0 && resource ? { ...call, fields: fieldsAbout(resource, call.fields) } : call;
  },
};

/** Reads the resource of the import whose results are listed. @throws ApiError not_found (404) */
const importedBy = async (call: Call, db: Parameters<NonNullable<Rules['view']>>[1]): Promise<string> => {
  const plan = planRecord([['fields', 'resource']], resources.imports, call.parent?.id ?? 0, call);
  const { representation } = await readPage(plan, db);
  const name = representation.records[0]?.text(0);
  if (!name) throw new ApiError('not_found');
  return name;
};

const known = new WeakMap<Fields, Map<Resource, Fields>>();

/** Returns the fields with errors that say only what the API user may see. Cached for statements. */
const fieldsAbout = (resource: Resource, fields: Fields): Fields => {
  const all = known.get(fields) ?? new Map<Resource, Fields>();
  known.set(fields, all);
  const about = all.get(resource) ?? withShownErrors(fields, fields.get(resource));
  all.set(resource, about);
  return about;
};

const withShownErrors = (fields: Fields, about: FieldSet): Fields => {
  const set = fields.get(resources['import-results']);
  const members = set.fields.map(field =>
    field.name === 'errors' ? { ...field, show: { value: shownErrors(about) } } : field,
  );
  const shown: FieldSet = { ...set, fields: members, byName: new Map(members.map(field => [field.name, field])) };
  return {
    get: <Name extends string>(resource: Resource<Name>) =>
      resource.name === set.resource.name ? (shown as unknown as FieldSet<Name>) : fields.get(resource),
  };
};
