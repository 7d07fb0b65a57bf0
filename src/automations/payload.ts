import { resources } from '../../generated/resources.ts';
import { defaultLimits } from '../core/call/limits.ts';
import type { Json } from '../core/call/reply.ts';
import type { Fields } from '../core/resource/fields.ts';
import type { Module, Resource } from '../core/resource/resource.ts';
import { fieldsFor } from '../core/resource/view.ts';
import type { TenantDb } from '../db/database.ts';
import { type JournalEntry, readFields } from '../db/journal/read.ts';
import type { ActingUser } from '../domain/occurrences/access.ts';
import type { ChangeConfiguration } from '../domain/occurrences/record-changed.ts';
import type { Occurrence } from '../domain/occurrences/trigger.ts';
import { isReadable, shownEntry } from '../engine/changes/entries.ts';
import { readRecords } from '../engine/changes/records.ts';
import type { PlanContext } from '../query/plan.ts';

/** What the payload of a webhook is made of. */
export interface WebhookEvent {
  readonly event_type: string;
  /** When it happened (RFC 3339). */
  readonly created_at: string;
  readonly data: Occurrence;
  readonly is_test: boolean;
  readonly trigger_type: string;
  /** JSON. */
  readonly trigger_configuration: string;
  /** The API user whose view of the records it contains, with these modules of the tenant. */
  readonly actor: ActingUser;
  readonly modules: ReadonlySet<Module>;
}

/**
 * Returns the payload of a webhook as JSON: the event and, if the automation includes it, the record.
 * The record is as a GET shows it now. Null: what has happened does not exist for the automation's API user any more.
 */
export const payloadOf = async (event: WebhookEvent, fields: Fields, db: TenantDb): Promise<string | null> => {
  const { event_type, created_at, is_test } = event;
  const data = event_type === 'record.changed' && !is_test ? await changeFor(event, fields, db) : event.data;
  if (data === null) return null;
  return JSON.stringify({ type: event_type, timestamp: created_at, ...(is_test && { test: true }), data });
};

/**
 * Returns the change as the automation's API user may see it now; null: the user sees none.
 * It has the record if the automation includes it.
 */
const changeFor = async (event: WebhookEvent, fields: Fields, db: TenantDb): Promise<Json> => {
  const { data, actor, modules } = event;
  const tenant = { ...db.tenant, modules };
  const reader = { resources, fields: fieldsFor(fields, actor, resources), principal: { tenant } };
  // What the delivery keeps is what was shown then: without the marks of the journal.
  const marked = reader.fields === fields ? data : { ...data, ...(await markedFields(data, db)) };
  const entry = shownEntry(marked as unknown as JournalEntry, reader);
  if (!entry || !isReadable(entry)) return null;
  const record = includesRecord(event) ? { record: await readRecord(data, reader, db) } : {};
  return { ...data, fields: [...entry.fields], ...record };
};

/** Returns the fields of an entry as the journal has them, with marks; none if it is no longer kept. */
const markedFields = async ({ position }: Occurrence, db: TenantDb) => {
  const found = await db.snapshot(transaction => readFields([Number(position)], transaction));
  const fields = found.get(Number(position));
  return fields && { fields };
};

const includesRecord = ({ event_type, is_test, trigger_type, trigger_configuration }: WebhookEvent): boolean => {
  const { include }: ChangeConfiguration = JSON.parse(trigger_configuration);
  return !is_test && event_type === 'record.changed' && trigger_type === event_type && include === 'record';
};

/** Returns the record of an entry of the journal; null if there is none any more. */
const readRecord = async (
  { resource: name, id }: Occurrence,
  reader: Omit<PlanContext, 'limits'>,
  db: TenantDb,
): Promise<Json> => {
  const resource = (resources as Readonly<Record<string, Resource>>)[String(name)];
  if (!resource) return null;
  const records = await readRecords(resource, [Number(id)], { ...reader, limits: defaultLimits }, db);
  return records.get(Number(id)) ?? null;
};
