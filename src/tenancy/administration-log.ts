import type { SystemDatabase } from './administrators.ts';

/** Something that an administrator is about to do. */
export interface Act {
  /** The name of the administrator. */
  readonly administrator: string;
  /** The id of the administration token; null: a command of the command line. */
  readonly tokenId: string | null;
  readonly operation: string;
  /** The tenant's slug; null: no tenant. */
  readonly tenant: string | null;
  /** What is addressed: ids, or the name of what is new. */
  readonly target: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** An act in the administration log. */
export interface LoggedAct extends Act {
  readonly id: number;
  readonly at: Date;
  /** The status of the response; null: it was interrupted, and may or may not have been done. */
  readonly status: number | null;
}

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
    .values({
      administrator: act.administrator,
      token_id: act.tokenId,
      operation: act.operation,
      tenant: act.tenant,
      target: plain(act.target),
      address: act.address,
      request_id: act.requestId,
    })
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

/** Returns entries of the log, newest first. @param before only entries older than the one with this id */
export const readLog = async (
  { system }: SystemDatabase,
  { limit, before = null }: { readonly limit: number; readonly before?: number | null },
): Promise<readonly LoggedAct[]> => {
  const query = system.selectFrom('administration_log').selectAll().orderBy('id', 'desc').limit(limit);
  const rows = await (before === null ? query : query.where('id', '<', before)).execute();
  return rows.map(row => ({
    id: row.id,
    at: new Date(row.at),
    administrator: row.administrator,
    tokenId: row.token_id,
    operation: row.operation,
    tenant: row.tenant,
    target: row.target,
    status: row.status,
    address: row.address,
    requestId: row.request_id,
  }));
};
