import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../../core/disk/secret-file.ts';
import type { Database } from '../../db/open.ts';
import { type Files, keyOf } from '../../files/files.ts';
import type { Blob } from '../../files/store.ts';
import type { TenantEntry } from '../../tenancy/directory.ts';
import { forEachTenant, type Run, strictly } from '../../tenancy/each-tenant.ts';

const hour = 3_600_000;
/** Milliseconds before content without a record is removed: its upload may be in progress. */
const ages = { temporary: hour, content: 24 * hour };

/** The result of a sweep: what was removed, and missing contents. */
export interface Swept {
  readonly temporary: number;
  readonly contents: number;
  /** Number of files and imports whose content is missing. */
  readonly lost: number;
}

type SweptTenant = Pick<Swept, 'contents' | 'lost'>;

/**
 * Removes the remains of failed uploads and deletions.
 * Temporary files after an hour, contents without a record after a day. Several instances may run it concurrently.
 */
export const sweep = async (
  files: Files,
  database: Database,
  now = Date.now(),
  run: Run = strictly,
): Promise<Swept> => {
  const temporary = await sweepTemporary(files.temporary, now - ages.temporary).catch(error => {
    run.failed(error);
    return 0;
  });
  let contents = 0;
  let lost = 0;
  const all = async ({ tenant }: TenantEntry) => {
    const swept = await sweepTenant(files, database, tenant.id, now - ages.content);
    contents += swept.contents;
    lost += swept.lost;
  };
  await forEachTenant(database, all, run);
  return { temporary, contents, lost };
};

const sweepTemporary = async (folder: string, before: number): Promise<number> => {
  let removed = 0;
  for (const name of await readdir(folder).catch(noneIfAbsent)) {
    const path = join(folder, name);
    const found = await stat(path).catch(noneIfAbsent);
    if (!('mtimeMs' in found) || found.mtimeMs >= before) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
};

const noneIfAbsent = (error: unknown): never[] => {
  if (isCode(error, 'ENOENT')) return [];
  throw error;
};

const sweepTenant = async (
  files: Files,
  database: Database,
  tenantId: number,
  before: number,
): Promise<SweptTenant> => {
  // Read records first: the content of each of them is then stored already.
  const recorded = await recordedKeys(database, tenantId);
  const old: Blob[] = [];
  for await (const blob of files.store.list(tenantId)) {
    if (!recorded.delete(blob.key) && blob.modified.getTime() < before) old.push(blob);
  }
  for (const { key } of old) await files.store.delete(key);
  return { contents: old.length, lost: (await stillRecorded(database, tenantId, recorded)).length };
};

const recordedKeys = async (database: Database, tenantId: number): Promise<Set<string>> => {
  const rows = await database.asOwner(tenantId, ({ kysely }) =>
    kysely
      .selectFrom('files')
      .select('path')
      .unionAll(
        kysely
          .selectFrom('imports')
          .select(eb => eb.ref('content').$notNull().as('path'))
          .where('content', 'is not', null),
      )
      .execute(),
  );
  return new Set(rows.map(({ path }) => keyOf(tenantId, path)));
};

/** Returns the records that have not been deleted since. */
const stillRecorded = async (database: Database, tenantId: number, keys: ReadonlySet<string>) => {
  if (keys.size === 0) return [];
  const recorded = await recordedKeys(database, tenantId);
  return [...keys].filter(key => recorded.has(key));
};
