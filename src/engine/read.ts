import type { Call } from '../core/call/call.ts';
import type { Shown } from '../core/call/reply.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { parseQuery } from '../query/query.ts';
import { readPage } from './records.ts';
import { planRecord, refuseParameters, schemaOf, shown } from './verb.ts';

/** GET /{resource}/{id}: one record, with the fields and relations asked for. */
export const read = async <Name extends string>(
  call: Call,
  resource: Resource<Name>,
  db: TenantDb,
): Promise<Shown<Name>> => {
  const { parameters, id, limits, parent } = call;
  const own = new Set(['fields', 'embed']);
  refuseParameters(parameters.filter(([name]) => !own.has(name)));
  const within = { limits, parent };
  const record = planRecord(parseQuery(parameters), call.fields.of(resource), schemaOf(call), id, within);
  return shown(record, await readPage(record, db));
};
