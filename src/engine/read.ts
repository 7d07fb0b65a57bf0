import { parseQuery } from '../query/query.ts';
import { readPage } from './records.ts';
import { planRecord, refuseParameters, schemaOf, shown, type Verb } from './verb.ts';

/** GET /{resource}/{id}: one record, with the fields and relations asked for. */
export const read: Verb = async (call, resource, db) => {
  const { parameters, id, limits, parent } = call;
  const own = new Set(['fields', 'embed']);
  refuseParameters(parameters.filter(([name]) => !own.has(name)));
  const within = { limits, parent };
  const record = planRecord(parseQuery(parameters), call.fields.of(resource), schemaOf(call), id, within);
  return shown(record, await readPage(record, db));
};
