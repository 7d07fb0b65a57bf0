import type { Call } from '../../core/call/call.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { suggestion } from '../../core/names.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Transaction } from '../../db/database.ts';
import { plain } from '../../db/enter.ts';
import type { JournalEntry } from '../../db/journal/read.ts';
import { journalTables } from '../../db/journal/tables.ts';
import { journalledOf } from '../../engine/changes/entries.ts';

/** A valid configuration of the trigger `record.changed`. */
export interface ChangeConfiguration {
  readonly resource?: readonly string[];
  readonly change?: readonly string[];
  readonly fields?: readonly string[];
  readonly include?: 'record';
}

/** Whether an entry of the journal matches the configuration: `fields` restricts updates only. */
export const wantsEntry = (
  { resource: resources, change: changes, fields: names }: ChangeConfiguration,
  { resource, change, fields }: Pick<JournalEntry, 'resource' | 'change' | 'fields'>,
): boolean =>
  (resources?.includes(resource) ?? true) &&
  (changes?.includes(change) ?? true) &&
  (change !== 'updated' || (names?.some(name => fields.includes(name)) ?? true));

/** Returns a configuration's names that are no resources of the tenant or no fields of these. */
export const checkNames = (
  { resource: names, fields }: ChangeConfiguration,
  call: Pick<Call, 'resources' | 'fields' | 'principal'>,
): readonly FieldError[] => {
  const served = journalledOf(call.resources, call.principal.tenant);
  const known = served.map(({ name }) => name);
  const unknown = names?.find(name => !known.includes(name));
  if (unknown !== undefined) return [unknownName('resource', unknown, 'a resource', known)];
  const readable = served.filter(resource => !call.fields.get(resource).unreadable);
  const chosen = readable.filter(({ name }) => names?.includes(name) ?? true);
  const own = [...new Set(chosen.flatMap(resource => ownFields(resource, call)))];
  const foreign = fields?.find(name => !own.includes(name));
  if (foreign === undefined) return [];
  const of = names ? ` of ${names.join(', ')}` : '';
  return [unknownName('fields', foreign, `an own field${of.slice(0, 200)}`, own)];
};

const unknownName = (member: string, name: string, expected: string, known: readonly string[]): FieldError =>
  fieldError(
    'not_in_enumeration',
    'trigger_configuration',
    `trigger_configuration.${member}: ${name.slice(0, 64)} is not ${expected}.${suggestion(name, known)}`,
  );

/** The fields that entries of the journal can have: stored with the record, or the tenant's own. */
const ownFields = (resource: Resource, { fields }: Pick<Call, 'fields'>): readonly string[] => {
  const declared = new Set(resource.fields.map(({ name }) => name));
  const stored = journalTables.get(resource.table)?.fields;
  return fields
    .get(resource)
    .fields.map(({ name }) => name)
    .filter(name => stored?.has(name) || !declared.has(name));
};

/** Has the journal of the tenant followed by the processes that run automations, after the commit. */
export const followChanges = (transaction: Transaction): void =>
  transaction.afterwards(plain('select follow_changes()'));
