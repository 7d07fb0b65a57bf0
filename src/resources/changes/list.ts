import type { components } from '../../../generated/api.ts';
import type { Call } from '../../core/call/call.ts';
import type { Json } from '../../core/call/reply.ts';
import { integerOf } from '../../core/call/values.ts';
import { ApiError } from '../../core/errors.ts';
import { suggestion } from '../../core/names.ts';
import { viewOf } from '../../core/principal.ts';
import { flagOf } from '../../core/resource/codec.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { TenantDb } from '../../db/database.ts';
import {
  CursorError,
  type JournalEntry,
  type JournalPage,
  type JournalQuery,
  readJournal,
} from '../../db/journal/read.ts';
import { type Action, ok } from '../../engine/action.ts';
import { followedBy, isReadable, journalledOf, type SourceEntry, shownEntry } from '../../engine/changes/entries.ts';
import { readRecords } from '../../engine/changes/records.ts';

type ChangeEntries = components['schemas']['Changes']['changes'];

const kinds = ['created', 'updated', 'deleted'];

/** GET /changes: lists the changes of records after a cursor. See docs/decisions.md, "Changes". */
export const list: Action<'changes_list'> = async (call, db, { wakeups, readConfirmed }) => {
  const { query, wait } = parse(call);
  const end = performance.now() + wait * 1000;
  let found = await readAfter(query.after, call, db);
  while (found.changes.length === 0 && performance.now() < end) {
    const { next, position, entries } = found.page;
    const signal = call.leave();
    // If there are entries, all of them are hidden from the API user: there can be more.
    const goesOn = entries.length > 0 || (await wakeups.wait(db.tenant.id, position, end - performance.now(), signal));
    signal.throwIfAborted();
    if (!goesOn) {
      await readConfirmed(call, db, async now => parse(now));
      break;
    }
    found = await readConfirmed(call, db, (now, db) =>
      wakeups.share(JSON.stringify([viewOf(now.principal), parse(now), next]), signal, () => readAfter(next, now, db)),
    );
  }
  const { page, changes } = found;
  return ok({ changes: changes as ChangeEntries, next: page.next, caught_up: flagOf(page.caughtUp) });
};

/** Reads the changes after a cursor that the caller sees. @throws ApiError 400, 410 */
const readAfter = async (after: string | null, call: Call, db: TenantDb) => {
  const { query, include } = parse(call);
  const page = await read({ ...query, after }, db);
  const entries = page.entries.flatMap(entry => shownEntry(entry, call) ?? []);
  return { page, changes: include ? await withRecords(entries, call, db) : entries };
};

/** @throws ApiError invalid_cursor (400), cursor_expired (410) */
const read = async (query: JournalQuery, db: TenantDb): Promise<JournalPage> => {
  try {
    return await readJournal(query, db);
  } catch (error) {
    if (!(error instanceof CursorError)) throw error;
    if (error.reason === 'expired') throw new ApiError('cursor_expired');
    throw new ApiError('invalid_cursor', { message: 'The cursor was not returned by /changes of this tenant.' });
  }
};

/** Adds to each entry that has fields its record as it is now, with one read for each resource. */
const withRecords = async (entries: readonly (JournalEntry | SourceEntry)[], call: Call, db: TenantDb) => {
  const byResource = Map.groupBy(entries.filter(isReadable), ({ resource }) => resource);
  const records = new Map<string, ReadonlyMap<number, Json>>();
  for (const [name, own] of byResource) {
    const ids = [...new Set(own.map(({ id }) => id))];
    records.set(name, await readRecords(call.resources[name] as Resource, ids, call, db));
  }
  return entries.map(entry =>
    isReadable(entry) ? { ...entry, record: records.get(entry.resource)?.get(entry.id) ?? null } : entry,
  );
};

interface ChangesRequest {
  readonly query: JournalQuery;
  /** Seconds. */
  readonly wait: number;
  /** Whether records are included. */
  readonly include: boolean;
}

/** @throws ApiError invalid_parameter (400) */
const parse = (call: Call): ChangesRequest => {
  const { parameters, resources, fields, principal } = call;
  const given = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (given.has(name)) throw new ApiError('invalid_parameter', { message: `${name} is given more than once.` });
    given.set(name, value);
  }
  const readable = journalledOf(resources, principal.tenant).filter(resource => !fields.get(resource).unreadable);
  const include = given.get('include');
  if (include !== undefined && include !== 'record')
    throw new ApiError('invalid_parameter', { message: 'include must be record.' });
  return {
    query: {
      after: given.get('after') ?? null,
      resources: chosen('resource', given.get('resource'), namesOf(readable)) ?? namesOf(followedBy(call)),
      changes: chosen('change', given.get('change'), kinds) ?? kinds,
      limit: integerOf('limit', given.get('limit') ?? '100', 1, 1000),
    },
    wait: integerOf('wait', given.get('wait') ?? '0', 0, 30),
    include: include !== undefined,
  };
};

const namesOf = (resources: readonly Resource[]): readonly string[] => resources.map(({ name }) => name);

/** Returns the names that a parameter lists; null: it is not given. */
const chosen = (parameter: string, text: string | undefined, known: readonly string[]): readonly string[] | null => {
  if (text === undefined) return null;
  const names = text.split(',');
  const unknown = names.find(name => !known.includes(name));
  if (unknown === undefined) return names;
  throw new ApiError('invalid_parameter', {
    message: `${parameter} must be a list of ${parameter}s: ${unknown.slice(0, 64)} is none.${suggestion(unknown, [...known])}`,
  });
};
