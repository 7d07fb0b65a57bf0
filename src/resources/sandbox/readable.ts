import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../core/json/object.ts';
import type { Json } from '../../core/json/value.ts';
import { readableFields } from '../../core/resource/fields.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { JournalEntry } from '../../db/journal/read.ts';
import { isWithheld, sentResources } from '../../domain/occurrences/access.ts';
import type { TriggerType } from '../../domain/occurrences/configuration.ts';
import { type EntryReader, hasConcealed, isReadable as isEntry, shownEntry } from '../../engine/changes/entries.ts';

/** The body of a webhook. */
interface SentPayload {
  readonly type: TriggerType;
  readonly test?: boolean;
  readonly data: JsonObject & { readonly fields?: readonly string[]; readonly record?: JsonObject | null };
}

/**
 * Whether the caller may read everything that the body of a webhook contains.
 * @param entries the names of fields and the marks of the journal's entries, by position
 */
export const isReadable = (
  body: string,
  call: EntryReader,
  entries: ReadonlyMap<number, readonly string[]>,
): boolean => {
  const { resources, fields } = call;
  const { type, test, data }: SentPayload = JSON.parse(body);
  if (isWithheld(type, data, { hidden: fields.hidden ?? [] })) return false;
  return sentResources(type, data).every(name => {
    const resource = resources[name];
    const set = resource ? readableFields(resource, call) : null;
    if (!set) return false;
    const { complete, byName } = set;
    if (!complete) return true;
    const { fields: names = [], record } = data;
    const marked = test ? undefined : entries.get(Number(data.position));
    if (type === 'record.changed' && !showsChange({ ...data, fields: marked ?? names }, data, call)) return false;
    const isShown = ([member, value]: readonly [string, Json]) => {
      const field = byName.get(member);
      return field !== undefined && (!field.mask || isDeepStrictEqual(field.show?.value(value, null) ?? value, value));
    };
    return Object.entries(record ?? {}).every(isShown);
  });
};

/** Whether a caller is shown a change with the fields and the record that were sent. */
const showsChange = (marked: object, { fields = [], record }: SentPayload['data'], call: EntryReader): boolean => {
  const entry = marked as JournalEntry;
  const shown = shownEntry(entry, call);
  if (!shown || !isEntry(shown) || !fields.every(name => shown.fields.includes(name))) return false;
  return !record || !hasConcealed(entry, call.resources[entry.resource] as Resource, call);
};
