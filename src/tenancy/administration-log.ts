import type { Insertable } from 'kysely';
import type { SystemTables } from '../db/system-tables.ts';
import type { SystemDatabase } from './administrators.ts';

/** Something that an administrator is about to do: an entry of the log without its outcome. */
export type Act = Omit<Insertable<SystemTables['administration_log']>, 'at' | 'status'>;

/** Characters that are kept of a target, which clients choose. */
const longest = 200;

const plain = (text: string | null): string | null =>
  text?.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, longest) ?? null;

/**
 * Does something that the administration log records.
 * It is entered before it is done, so that nothing can be done without an entry; the status follows.
 * @param statusOf returns the status of what was done, or (with an error) of its failure
 * @throws DatabaseError if it can't be entered: then it is not done
 */
export const logged = async <T>(
  { system }: SystemDatabase,
  act: Act,
  work: () => Promise<T>,
  statusOf: (outcome: { readonly result: T } | { readonly error: unknown }) => number,
): Promise<T> => {
  const { id } = await system
    .insertInto('administration_log')
    .values({ ...act, target: plain(act.target ?? null) })
    .returning('id')
    .executeTakeFirstOrThrow();
  const complete = async (status: number): Promise<void> => {
    // Without it the entry tells that the outcome is not known; what was done can't be undone.
    await system
      .updateTable('administration_log')
      .set({ status })
      .where('id', '=', id)
      .execute()
      .catch(() => {});
  };
  try {
    const result = await work();
    await complete(statusOf({ result }));
    return result;
  } catch (error) {
    await complete(statusOf({ error }));
    throw error;
  }
};

const columns = ['id', 'at', 'administrator', 'token_id', 'operation', 'tenant', 'target', 'status'] as const;

/**
 * Returns entries of the log as they are shown, newest first.
 * @param before only entries older than the one with this id
 */
export const readLog = async (
  { system }: SystemDatabase,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
) => {
  const query = system.selectFrom('administration_log').select([...columns, 'address', 'request_id']);
  const older = before === undefined ? query : query.where('id', '<', before);
  const rows = await older.orderBy('id', 'desc').limit(limit).execute();
  return rows.map(row => ({ ...row, at: new Date(row.at).toISOString() }));
};
