import type { Json } from '../../core/call/reply.ts';
import { decode } from '../../core/resource/codec.ts';
import { sourceField } from '../../core/resource/fields.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { TenantDb } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { plan, type Schema } from '../../query/plan.ts';
import { parseQuery } from '../../query/query.ts';
import { readPage } from '../../query/read.ts';

/** Returns records of a resource as a GET shows them, by id; those that do not exist are missing. All are read at once. */
export const readRecords = async (
  resource: Resource,
  ids: readonly number[],
  schema: Schema,
  db: TenantDb,
): Promise<ReadonlyMap<number, Json>> => {
  const all = plan(parseQuery([]), resource, schema);
  const own = {
    field: sourceField(all.set, resource.key),
    any: [{ kind: 'among', not: false, values: [literal(ids)] }],
  } as const;
  const { representation } = await readPage({ ...all, conditions: [...all.conditions, own] }, db);
  const { members, records } = representation;
  const place = members.findIndex(({ name }) => name === resource.key);
  return new Map(
    records.map(cells => [
      Number(cells.text(place)),
      Object.fromEntries(
        members.map((member, index) => [member.name, 'type' in member ? decode(member.type, cells.text(index)) : null]),
      ),
    ]),
  );
};
