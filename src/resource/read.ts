import { parseQuery } from '../query/query.ts';
import { fieldsOf } from './fields.ts';
import { readPage } from './records.ts';
import { planRecord, refuseParameters, schemaOf, shown, type Verb } from './verb.ts';

/** GET /{resource}/{id}: one record, with the fields and relations asked for. */
export const read: Verb = async ({ principal, parameters, id, limits }, resource, db) => {
  const own = new Set(['fields', 'embed']);
  refuseParameters(parameters.filter(([name]) => !own.has(name)));
  const record = planRecord(parseQuery(parameters), fieldsOf(resource), schemaOf(principal), id, limits);
  return shown(record, await readPage(record, db));
};
