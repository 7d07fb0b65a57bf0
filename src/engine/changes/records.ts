import type { JsonObject } from '../../core/json/object.ts';
import { decodeRecords } from '../../core/json/records.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { TenantDb } from '../../db/database.ts';
import { planAmong } from '../../query/listing.ts';
import type { PlanContext } from '../../query/plan.ts';
import { readPage } from '../../query/read.ts';

/** Returns existing records as a GET shows them, by id, with one read. */
export const readRecords = async (
  resource: Resource,
  ids: readonly number[],
  schema: PlanContext,
  db: TenantDb,
): Promise<ReadonlyMap<number, JsonObject>> => {
  const { representation } = await readPage(planAmong(resource, ids, schema), db);
  const records = decodeRecords(representation) as readonly JsonObject[];
  return new Map(records.map(record => [Number(record[resource.key]), record]));
};
