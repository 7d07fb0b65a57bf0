import { readParameters } from '../../generated/parameters.ts';
import type { Call } from '../core/call/call.ts';
import type { ReplyOf } from '../core/call/reply.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { planRecord } from '../query/listing.ts';
import { basisOf, readPage } from '../query/read.ts';
import { refuseParameters, shown } from './verb.ts';

const own: ReadonlySet<string> = new Set(readParameters);

/** GET /{resource}/{id}: one record, with the fields and relations asked for. */
export const read = async <Name extends string>(
  call: Call,
  resource: Resource<Name>,
  db: TenantDb,
): Promise<ReplyOf<Name>> => {
  const { parameters, id, externalId, parent } = call;
  refuseParameters(parameters.filter(([name]) => !own.has(name)));
  const plan = planRecord(parameters, resource, externalId ?? id, call, parent);
  return { ...shown(await readPage(plan, db)), basis: basisOf(plan, call.resources) };
};
