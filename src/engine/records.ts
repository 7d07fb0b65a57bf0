import type { Json } from '../core/call/reply.ts';
import type { Tenant } from '../core/principal.ts';
import { decode } from '../core/resource/codec.ts';
import { sourceField } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { literal } from '../db/ids.ts';
import type { JournalEntry } from '../db/journal/read.ts';
import { plan, type Schema } from '../query/plan.ts';
import { parseQuery } from '../query/query.ts';
import { readPage } from '../query/read.ts';

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

/**
 * Returns an entry of the journal as the API user may see it: with the names of fields that exist for it. Null if it is of a resource that
 * the API user can't read, or tells only of fields that are hidden (the time of the last change tells nothing else).
 */
export const shownEntry = (
  entry: JournalEntry,
  { resources, fields }: Pick<Schema, 'resources' | 'fields'>,
): JournalEntry | null => {
  const set = fields.get(resources[entry.resource] as Resource);
  if (set.unreadable) return null;
  if (!set.complete) return entry;
  const shown = entry.fields.filter(name => set.byName.has(name));
  const isHidden = shown.length < entry.fields.length && shown.every(name => name === 'updated_at');
  return isHidden && entry.change === 'updated' ? null : { ...entry, fields: shown };
};

/** Returns the resources of a tenant whose changes are entered in the journal. */
export const journalledOf = (
  resources: Readonly<Record<string, Resource>>,
  { modules }: Pick<Tenant, 'modules'>,
): readonly Resource[] =>
  Object.values(resources).filter(
    ({ unjournalled, module }) => !unjournalled && (module === null || modules.has(module)),
  );
