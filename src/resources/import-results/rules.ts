import { resources } from '../../../generated/resources.ts';
import { cachedBy } from '../../core/cached.ts';
import type { Call } from '../../core/call/call.ts';
import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/json/value.ts';
import { isAllowed, scopeMissing } from '../../core/resource/access.ts';
import type { FieldSet, Fields } from '../../core/resource/fields.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { presentedBreach, type ShownBreach } from '../../domain/rules/shown.ts';
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
    return { ...call, fields: fieldsAbout(name, call) };
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

const knownOf = cachedBy((_: Fields) => new Map<string, Fields>());

/** Returns the fields, with errors and warnings as the API user may see them. Cached for statements. */
const fieldsAbout = (name: string, { fields, resources: seen, principal }: Call): Fields => {
  const { scopes, hidden } = principal.apiUser;
  const all = knownOf(fields);
  const key = JSON.stringify([name, scopes, hidden]);
  const resource = seen[name];
  const about =
    all.get(key) ??
    showing(fields, {
      errors: shownErrors(resource && hidden.length > 0 ? fields.get(resource) : null, principal.apiUser, name),
      warnings: warnings =>
        (warnings as unknown as readonly ShownBreach[]).map(warning => presentedBreach(warning, principal.apiUser)),
    });
  all.set(key, about);
  return about;
};

/** Returns fields of which some show other values than are stored. */
const showing = (fields: Fields, values: Readonly<Record<string, (stored: Json) => Json>>): Fields => {
  const set = fields.get(resources['import-results']);
  const members = set.fields.map(field => {
    const value = values[field.name];
    return value ? { ...field, show: { value } } : field;
  });
  const shown: FieldSet = { ...set, fields: members, byName: new Map(members.map(field => [field.name, field])) };
  return {
    get: <Name extends string>(resource: Resource<Name>) =>
      resource.name === set.resource.name ? (shown as unknown as FieldSet<Name>) : fields.get(resource),
  };
};
