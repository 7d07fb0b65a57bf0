import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../core/call/call.ts';
import type { JsonObject } from '../../core/json/object.ts';
import type { Json } from '../../core/json/value.ts';
import { areConcealed } from '../../core/resource/marks.ts';
import { isWithheld, sentResources } from '../../domain/occurrences/access.ts';
import type { TriggerType } from '../../domain/occurrences/configuration.ts';

/** The body of a webhook. */
interface SentPayload {
  readonly type: TriggerType;
  readonly data: JsonObject & { readonly fields?: readonly string[]; readonly record?: JsonObject | null };
}

/**
 * Whether the caller may read everything that the body of a webhook contains.
 * @param entries the names of fields and the marks of the journal's entries, by position
 */
export const isReadable = (
  body: string,
  { resources, fields }: Pick<Call, 'resources' | 'fields'>,
  entries: ReadonlyMap<number, readonly string[]>,
): boolean => {
  const { type, data }: SentPayload = JSON.parse(body);
  if (isWithheld(type, data, { hidden: fields.hidden ?? [] })) return false;
  return sentResources(type, data).every(name => {
    const resource = resources[name];
    if (!resource) return false;
    const { unreadable, complete, byName, restriction } = fields.get(resource);
    if (unreadable) return false;
    if (restriction && areConcealed(entries.get(Number(data.position)) ?? [], restriction)) return false;
    if (!complete) return true;
    const { fields: names = [], record } = data;
    const isShown = ([member, value]: readonly [string, Json]) => {
      const field = byName.get(member);
      return field !== undefined && (!field.mask || isDeepStrictEqual(field.show?.value(value, null) ?? value, value));
    };
    return names.every(member => byName.has(member)) && Object.entries(record ?? {}).every(isShown);
  });
};
