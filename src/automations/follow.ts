import { resources } from '../../generated/resources.ts';
import type { TenantFields } from '../attributes/tenant-fields.ts';
import type { Tenant } from '../core/principal.ts';
import type { Fields } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import { fieldsFor } from '../core/resource/view.ts';
import type { TenantDb, TenantQuery, Transaction } from '../db/database.ts';
import { numberEntries } from '../db/journal/number.ts';
import { type Following, type JournalEntry, readFollowing } from '../db/journal/read.ts';
import { type ActingUser, type ActorRow, actorColumns, actorOf } from '../domain/occurrences/access.ts';
import { type ChangeConfiguration, wantsEntry } from '../domain/occurrences/record-changed.ts';
import { addDeliveries, type NewDelivery, type Occurrence } from '../domain/occurrences/trigger.ts';
import { type EntryReader, isReadable, journalledOf, shownEntry } from '../engine/changes/entries.ts';

/** Where a tenant's follower goes on. */
export interface Followed extends Pick<Following, 'position' | 'more'> {
  /** Whether entries that were to be read are no longer kept. */
  readonly lost: boolean;
}

/** An automation that changes of records trigger. */
interface Follower {
  readonly id: number;
  readonly configuration: ChangeConfiguration;
  /**
   * The position in the journal after which entries trigger the automation.
   * It is that of the entry of its creation, of the change to this trigger, or the last one that it passes over.
   */
  readonly since: number;
  readonly actor: ActingUser;
}

/**
 * Adds the deliveries for the next entries of a tenant's journal.
 * The same transaction stores how far it has been read: each entry triggers an automation exactly once, however many
 * processes follow. Concurrent calls run sequentially. See docs/decisions.md, "Automations and webhooks".
 */
export const followJournal = async (db: TenantDb, tenantFields: TenantFields, limit = 500): Promise<Followed> => {
  await numberEntries(db);
  const { fields } = await tenantFields.read(db);
  return db.transaction(async transaction => {
    const before = await lockPosition(transaction);
    const followers = await readFollowers(transaction);
    const start = Math.max(before, Math.min(...followers.map(({ since }) => since)));
    const query = { resources: resourcesOf(followers, db.tenant), changes: ['created', 'updated', 'deleted'], limit };
    const after = Math.min(start, Number.MAX_SAFE_INTEGER);
    const { entries, position, more, forgotten } = await readFollowing(after, query, transaction);
    await addInOrder(deliveriesOf(entries, followers, { fields, tenant: db.tenant }), transaction);
    await transaction.kysely.updateTable('automation_followers').set({ position }).where('id', '=', 1).execute();
    return { position, more, lost: start < forgotten };
  });
};

/** Returns the stored position, locked until the transaction ends. */
const lockPosition = async ({ kysely }: Transaction): Promise<number> => {
  await kysely
    .insertInto('automation_followers')
    .values({ id: 1, position: 0 })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const locked = kysely.selectFrom('automation_followers').select('position').where('id', '=', 1).forUpdate();
  return (await locked.executeTakeFirstOrThrow()).position;
};

/**
 * Reads the automations, locked against removal, without those whose API user is disabled.
 * Those pass over what happens. One whose entry has no position yet starts after all that have one.
 */
const readFollowers = async (transaction: Transaction): Promise<readonly Follower[]> => {
  const [rows] = await transaction.run(followersQuery);
  return rows.map(({ id, trigger_configuration, since, ...actor }) => ({
    id,
    configuration: JSON.parse(trigger_configuration),
    since,
    actor: actorOf(actor),
  }));
};

interface FollowerRow extends ActorRow {
  readonly id: number;
  readonly trigger_configuration: string;
  readonly since: number;
}

const followersQuery: TenantQuery<FollowerRow> = {
  for: tenantId => ({
    name: null,
    text: `
      select a.id, a.trigger_configuration, greatest(a.since, (
        select max(coalesce(j.position, ${Number.MAX_SAFE_INTEGER})) from journal j
        where j.tenant_id = $1 and j.resource = 'automations' and j.id = a.id and 'trigger_type' = any(j.fields)
      )) as since, ${actorColumns}
      from automations a
      left join api_users u on u.tenant_id = $1 and u.id = a.api_user_id
      where a.tenant_id = $1 and a.trigger_type = 'record.changed' and (a.api_user_id is null or u.active)
      order by a.id
      for key share of a`,
    values: [String(tenantId)],
  }),
};

/** The resources whose entries any of them may want. */
const resourcesOf = (followers: readonly Follower[], tenant: Tenant): readonly string[] =>
  journalledOf(resources, tenant)
    .map(({ name }) => name)
    .filter(name => followers.some(({ configuration: { resource } }) => resource?.includes(name) ?? true));

/** Each automation is triggered by what its API user may see of a change. */
const deliveriesOf = (
  entries: readonly JournalEntry[],
  followers: readonly Follower[],
  { fields, tenant }: { readonly fields: Fields; readonly tenant: Tenant },
): readonly NewDelivery[] =>
  entries.flatMap(entry =>
    followers.flatMap(({ id, since, configuration, actor }) => {
      const reader = { resources, fields: fieldsFor(fields, actor, resources), principal: { tenant } };
      const shown = entryFor(entry, configuration, reader);
      if (!shown || since >= entry.position || !wantsEntry(configuration, shown)) return [];
      const place = { lane: `${entry.resource}/${entry.id}`, position: entry.position, waits: false };
      return [{ automationId: id, data: shown as unknown as Occurrence, at: entry.at, place }];
    }),
  );

/**
 * Returns an entry as an automation's API user may see it.
 * Null: it is left out. One of a resource that the configuration names is not left out because the API user can no
 * longer read it: its delivery fails.
 */
const entryFor = (
  entry: JournalEntry,
  { resource: named }: ChangeConfiguration,
  reader: EntryReader,
): JournalEntry | null => {
  const { unreadable, byName } = reader.fields.get(resourceOf(entry));
  if (unreadable)
    return named?.includes(entry.resource) ? { ...entry, fields: entry.fields.filter(name => byName.has(name)) } : null;
  const shown = shownEntry(entry, reader);
  return shown && isReadable(shown) ? shown : null;
};

const resourceOf = ({ resource }: JournalEntry): Resource => resources[resource as keyof typeof resources];

/** Adds deliveries so that each waits for the first attempt of the one before it in its lane. */
const addInOrder = async (deliveries: readonly NewDelivery[], transaction: Transaction): Promise<void> => {
  if (deliveries.length === 0) return;
  const taken = new Set(await waitingLanes(deliveries, transaction));
  const ordered = deliveries.map(delivery => {
    const { automationId, place } = delivery;
    const key = `${automationId} ${place?.lane}`;
    const waits = taken.has(key);
    taken.add(key);
    return place ? { ...delivery, place: { ...place, waits } } : delivery;
  });
  await addDeliveries('record.changed', ordered, transaction);
};

/**
 * Returns the lanes with deliveries that have not been attempted yet.
 * Locks these, so that an attempt whose outcome is stored meanwhile finds the new ones.
 */
const waitingLanes = async (
  deliveries: readonly NewDelivery[],
  { kysely }: Transaction,
): Promise<readonly string[]> => {
  const rows = await kysely
    .selectFrom('automation_deliveries')
    .select(['automation_id', 'lane'])
    .where('automation_id', 'in', [...new Set(deliveries.map(({ automationId }) => automationId))])
    .where('lane', 'in', [...new Set(deliveries.map(({ place }) => place?.lane ?? ''))])
    .where('status', '=', 1)
    .where('attempt', '=', 0)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(({ automation_id, lane }) => `${automation_id} ${lane}`);
};
