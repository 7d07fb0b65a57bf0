import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/json/value.ts';
import { isAllowed, scopeMissing } from '../../core/resource/access.ts';
import type { FieldSet, Fields } from '../../core/resource/fields.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { type ShownBreach, verdictOf } from '../../domain/rules/shown.ts';
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
    const fields = isAllowed(call.principal.apiUser, 'assignments', 'read') ? call.fields : withVerdicts(call.fields);
    return { ...call, fields: hidden.length > 0 && resource ? fieldsAbout(resource, fields) : fields };
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
  const about = all.get(resource) ?? showing('errors', shownErrors(fields.get(resource)), fields);
  all.set(resource, about);
  return about;
};

const judged = new WeakMap<Fields, Fields>();

/** Returns the fields with warnings for API users who cannot read assignments. Cached for statements. */
const withVerdicts = (fields: Fields): Fields => {
  const shown = judged.get(fields) ?? showing('warnings', verdicts, fields);
  judged.set(fields, shown);
  return shown;
};

const verdicts = (warnings: Json): Json =>
  (warnings as unknown as readonly ShownBreach[]).map(verdictOf) as unknown as Json;

/** Returns fields of which one shows another value than is stored. */
const showing = (name: 'errors' | 'warnings', value: (stored: Json) => Json, fields: Fields): Fields => {
  const set = fields.get(resources['import-results']);
  const members = set.fields.map(field => (field.name === name ? { ...field, show: { value } } : field));
  const shown: FieldSet = { ...set, fields: members, byName: new Map(members.map(field => [field.name, field])) };
  return {
    get: <Name extends string>(resource: Resource<Name>) =>
      resource.name === set.resource.name ? (shown as unknown as FieldSet<Name>) : fields.get(resource),
  };
};
