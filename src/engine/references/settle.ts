import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../core/call/call.ts';
import type { Json } from '../../core/call/reply.ts';
import { ApiError, type FieldError, fieldError } from '../../core/errors.ts';
import { decodeRecords } from '../../core/json/records.ts';
import { readableFields } from '../../core/resource/fields.ts';
import type { Representation } from '../../core/resource/representation.ts';
import type { Field, FieldAccess, Resource } from '../../core/resource/resource.ts';
import type { Transaction } from '../../db/database.ts';
import { planRecord } from '../../query/listing.ts';
import { readPageIn } from '../../query/read.ts';
import type { Values } from '../body.ts';
import type { NamedRecord, ReadBody } from './related.ts';

/** What the members of a body are compared with. */
interface Present {
  /** The record, locked; null: a new one, or none. */
  readonly before: Values | null;
  /** What embedding shows of the records of members, as far as it is needed. */
  readonly embedded: ReadonlyMap<string, Values | null>;
  /** Whether a reference can be written to the field. */
  readonly isWritable: (field: Field) => boolean;
}

/**
 * Compares what a body says under the names of relations with the record and with its fields.
 * What was read may be sent back, a reference may be given twice, and nothing else is ignored. See docs/decisions.md, "Fields in
 * requests".
 * @param record the locked record that the body changes; null: a new one
 */
export const settleRelated = async <Given extends ReadBody>(
  read: Given,
  resource: Resource,
  record: { readonly id: number; readonly before: Values } | null,
  call: ReferenceReader,
  transaction: Transaction,
): Promise<Given> => {
  if (read.named.length === 0) return read;
  const { embedded } = record ? await readPresent(read.named, resource, record.id, call, transaction) : nothing;
  const writable: readonly FieldAccess[] = ['write', record ? 'update' : 'create'];
  return compareRelated(read, {
    before: record?.before ?? null,
    embedded,
    isWritable: ({ access }) => writable.includes(access),
  });
};

/**
 * Does the same for the body of an action, which can set the references that it takes.
 * @param id the record of the action, which is not locked yet; 0: none
 * @throws ApiError not_found (404)
 */
export const settleAction = async <Given extends ReadBody>(
  read: Given,
  resource: Resource,
  id: number,
  call: ReferenceReader,
  transaction: Transaction,
): Promise<Given> => {
  const isCompared = id > 0 && read.named.some(({ assigned }) => !assigned);
  const present = isCompared ? await readPresent(read.named, resource, id, call, transaction, true) : nothing;
  return compareRelated(read, { ...present, isWritable: () => true });
};

/** What reading the present record needs of a call. */
type ReferenceReader = Pick<Call, 'fields' | 'resources' | 'principal' | 'limits'>;

const nothing = { before: null, embedded: new Map() } satisfies Omit<Present, 'isWritable'>;

/** Does the same with a record that has been read. */
const compareRelated = <Given extends ReadBody>(read: Given, present: Present): Given => {
  const body: Record<string, Json> = { ...read.body };
  const errors: FieldError[] = [];
  const unresolved = new Set(read.unresolved);
  for (const named of read.named) {
    const { field, assigned, member } = named;
    if (assigned && field && present.isWritable(field)) continue;
    const wanted = field && !assigned ? body[field.name] : undefined;
    if (assigned && field) delete body[field.name];
    if (holds(named, present, wanted)) continue;
    errors.push(fieldError('read_only', member, messageOf(named, present)));
    if (field) unresolved.add(field.name);
  }
  return { ...read, body, errors: [...read.errors, ...errors], unresolved };
};

/** Whether the member says what the record has or what the body sets (undefined: it sets nothing). */
const holds = ({ member, field, target, given }: NamedRecord, present: Present, wanted: Json | undefined): boolean => {
  const embedded = present.embedded.get(member) ?? null;
  if (given.kind === 'values')
    return (
      embedded !== null &&
      Object.keys(given.values).every(name => isDeepStrictEqual(given.values[name], embedded[name]))
    );
  const now = (field ? present.before?.[field.name] : embedded?.[target.key]) ?? null;
  return given.id === now || given.id === wanted;
};

const messageOf = ({ member, field, target }: NamedRecord, { isWritable }: Present): string => {
  if (!field || !isWritable(field)) return `${member} can't be set: this is not the present ${target.singular}.`;
  const other = target.externalKey === undefined ? '' : `, or ${member} with ${target.externalKey} alone,`;
  return `${member} is neither the present ${target.singular} nor the one that the body sets. ${field.name}${other} sets it.`;
};

/**
 * Reads what embedding shows of the records that members are compared with, in one trip.
 * @param whole whether the references of the record are read, too
 * @throws ApiError not_found (404) if these are read, and there is no such record
 */
const readPresent = async (
  named: readonly NamedRecord[],
  resource: Resource,
  id: number,
  call: ReferenceReader,
  transaction: Transaction,
  whole = false,
): Promise<Omit<Present, 'isWritable'>> => {
  const compared = named.filter(
    ({ field, relation, target, given }) =>
      relation !== null && (given.kind === 'values' || !field) && readableFields(target, call) !== null,
  );
  if (compared.length === 0 && !whole) return nothing;
  const embed = compared.flatMap(({ member, target, given }) =>
    [target.key, ...(given.kind === 'values' ? Object.keys(given.values) : [])].map(name => `${member}.${name}`),
  );
  const fields = [resource.key, ...(whole ? named.flatMap(({ field }) => field?.name ?? []) : [])];
  const limits = { ...call.limits, embeds: compared.length };
  const parameters = [
    ['fields', [...new Set(fields)].join()],
    ...(embed.length > 0 ? [['embed', embed.join()] as const] : []),
  ] as const;
  const { representation } = await readPageIn(planRecord(parameters, resource, id, { ...call, limits }), transaction);
  const record = decodeRecords(representation) as Values | null;
  if (whole && !record) throw new ApiError('not_found');
  return { before: record, embedded: embeddedIn(representation, record) };
};

const embeddedIn = ({ members }: Representation, record: Values | null): ReadonlyMap<string, Values | null> =>
  new Map(
    members.flatMap(({ name, ...member }) => {
      if ('type' in member) return [];
      return [[name, member.many ? null : ((record?.[name] ?? null) as Values | null)] as const];
    }),
  );
