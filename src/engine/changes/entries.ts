import { cachedBy } from '../../core/cached.ts';
import type { Tenant } from '../../core/principal.ts';
import { completeFields, type Fields, readableFields } from '../../core/resource/fields.ts';
import { areConcealed } from '../../core/resource/marks.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { ALL, type FieldSources, findSources } from '../../core/resource/sources.ts';
import { definesFields } from '../../core/resource/view.ts';
import type { JournalEntry } from '../../db/journal/read.ts';
import type { PlanContext } from '../../query/plan.ts';

/** The fields that exist for who reads entries of the journal. */
type FieldsReader = Pick<PlanContext, 'resources' | 'fields'>;

/** The part of an entry with which its record is judged: with the marks of the record. */
type MarkedEntry = Pick<JournalEntry, 'id' | 'change' | 'fields'>;

/** Who reads entries of the journal: the fields that exist for it, and the modules of its tenant. */
export interface EntryReader extends FieldsReader {
  readonly principal: { readonly tenant: Pick<Tenant, 'modules'> };
}

/** An entry of an unreadable resource that moves what the reader sees of other records. */
export type SourceEntry = Pick<JournalEntry, 'position' | 'at' | 'resource' | 'id' | 'change'>;

/**
 * Returns an entry of the journal as its reader may see it.
 * With the names of the fields that exist for the reader; without fields, author and request if the reader can't read the resource.
 * Null if nothing moves that the reader sees.
 */
export const shownEntry = (entry: JournalEntry, reader: EntryReader): JournalEntry | SourceEntry | null => {
  const own = reader.resources[entry.resource] as Resource;
  const { byName, complete, unreadable } = reader.fields.get(own);
  if (isConcealed(entry, own, reader)) return null;
  const { position, at, resource, id, change } = entry;
  const { hidden = [] } = reader.fields;
  const isShown = ({ name, category }: RecordPart): boolean =>
    byName.has(name) && !hidden.some(each => each === category);
  if (unreadable) return moves(entry, reader) ? { position, at, resource, id, change } : null;
  const parts = change === 'deleted' ? [] : entry.fields.map(partOf).filter(({ name }) => name !== '');
  const shown = [...new Set((complete ? parts.filter(isShown) : parts).map(({ name }) => name))];
  return !complete || change !== 'updated' || shown.length > 0 || moves(entry, reader)
    ? { ...entry, fields: shown }
    : null;
};

/**
 * Whether the entry's record does not exist for the reader: because of its category, or whose it is.
 * The category counts as it is now and as it was at the change. A change of the category itself is shown: the record can have existed
 * until then. A record of others that a field refers to which the reader sees is read again when that field changes.
 */
const isConcealed = (entry: MarkedEntry, resource: Resource, reader: FieldsReader): boolean => {
  const { readByCategory } = resource;
  const isOfCategory =
    readByCategory !== undefined && entry.change === 'updated' && entry.fields.includes(readByCategory);
  return !isOfCategory && hasConcealed(entry, resource, reader);
};

/** Whether the entry's record, as it is now or was at the change, does not exist for the reader. */
export const hasConcealed = ({ id, fields }: MarkedEntry, resource: Resource, reader: FieldsReader): boolean => {
  const { restriction } = reader.fields.get(resource);
  if (!restriction) return false;
  if (areConcealed(fields, restriction)) return true;
  if (!('column' in restriction) || !definesFields(resource, reader.resources)) return false;
  const present = completeFields(reader.fields).categories?.get(id);
  return restriction.hidden.some(category => category === present);
};

/** What the journal says of a field: it or a sensitive part differs. No name: a mark of the record. */
interface RecordPart {
  readonly name: string;
  readonly category: string | undefined;
}

const partOf = (text: string): RecordPart => {
  const [name = '', category] = text.split(':');
  return { name, category };
};

/** Whether the entry is of a resource that its reader can read. */
export const isReadable = (entry: JournalEntry | SourceEntry): entry is JournalEntry => 'fields' in entry;

/** Returns the resources of a tenant whose changes are entered in the journal. */
export const journalledOf = (
  resources: Readonly<Record<string, Resource>>,
  { modules }: Pick<Tenant, 'modules'>,
): readonly Resource[] =>
  Object.values(resources).filter(
    ({ unjournalled, module }) => !unjournalled && (module === null || modules.has(module)),
  );

/** Returns the resources whose entries the reader can be shown. */
export const followedBy = (reader: EntryReader): readonly Resource[] =>
  journalledOf(reader.resources, reader.principal.tenant).filter(
    resource => !reader.fields.get(resource).unreadable || sourcesOf(reader).has(resource.name),
  );

/** Whether a field has moved from which a readable one derives; new and removed records move all. */
const moves = ({ resource, change, fields }: JournalEntry, reader: EntryReader): boolean => {
  const sources = sourcesOf(reader).get(resource);
  return (
    sources !== undefined &&
    (change !== 'updated' || sources.has(ALL) || fields.some(field => sources.has(partOf(field).name)))
  );
};

/** Returns the fields from which readable ones derive. Cached by fields and modules. */
const sourcesOf = (reader: EntryReader): FieldSources =>
  sourcesByModules(reader.fields)(reader.principal.tenant.modules, reader);

const sourcesByModules = cachedBy((_: Fields) =>
  cachedBy((_: ReadonlySet<string>, reader: EntryReader) =>
    findSources(reader.resources, resource => readableFields(resource, reader)?.fields ?? null),
  ),
);
