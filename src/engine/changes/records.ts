import type { JsonObject } from '../../core/json/object.ts';
import { decodeRecords } from '../../core/json/records.ts';
import { sourceField } from '../../core/resource/fields.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { TenantDb } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { type PlanContext, plan } from '../../query/plan.ts';
import { parseQuery } from '../../query/query.ts';
import { readPage } from '../../query/read.ts';

/** Returns existing records as a GET shows them, by id, with one read. */
export const readRecords = async (
  resource: Resource,
  ids: readonly number[],
  schema: PlanContext,
  db: TenantDb,
): Promise<ReadonlyMap<number, JsonObject>> => {
  const all = plan(parseQuery([]), resource, schema);
  const own = {
    field: sourceField(all.set, resource.key),
    any: [{ kind: 'among', not: false, values: [literal(ids)] }],
  } as const;
  const { representation } = await readPage({ ...all, conditions: [...all.conditions, own] }, db);
  const records = decodeRecords(representation) as readonly JsonObject[];
  return new Map(records.map(record => [Number(record[resource.key]), record]));
};
