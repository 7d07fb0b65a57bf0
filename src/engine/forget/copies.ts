import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { containsAll, type RecordsShown, recordsLiteral } from './replies.ts';

/**
 * Has forgetting people wait for the transaction, or the transaction for it.
 * Called before the transaction reads what it keeps copies of. A copy of what was read before a person was forgotten is thereby found and
 * cleared.
 */
export const keepCopies = (transaction: Transaction): void => lock('pg_advisory_xact_lock_shared', transaction);

/** Waits for transactions that keep copies; later ones wait. Called before any other lock is taken. */
export const findCopies = (transaction: Transaction): void => lock('pg_advisory_xact_lock', transaction);

/** Takes a lock of the tenant with the transaction's next trip, before that one's statements. */
const lock = (take: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared', transaction: Transaction): void => {
  const key = createHash('sha256').update(`copies of ${transaction.tenant.id}`).digest().readBigInt64BE();
  transaction.defer({ name: take, text: `select ${take}($1::bigint)`, values: [String(key)] });
};

/** Deletes the webhooks in the inbox of a sandbox that contain one of the records or all names. */
export const clearInbox = async (
  records: readonly RecordsShown[],
  names: readonly string[],
  { kysely }: Transaction,
): Promise<void> => {
  const contained = sql<SqlBool>`jsonb_typeof(body::jsonb #> '{data,record}') = 'object'
    and (body::jsonb #>> '{data,resource}') || '/' || (body::jsonb #>> '{data,id}') = any(${recordsLiteral(records)}::text[])`;
  await kysely
    .deleteFrom('sandbox_inbox')
    .where(({ or }) => or([contained, containsAll('body', names)]))
    .execute();
};

/** Replaces the messages in import results, which can contain values of the row. */
const cleared = 'The message has been removed, because the person has been forgotten.';

/** A record by its external id; null: it has none. */
interface ForgottenName {
  readonly resource: string;
  readonly externalId: unknown;
}

/**
 * Clears the messages of failed rows of imports that name one of the records.
 * They are about it, about the record with the external id, or contain all names. Codes and fields stay.
 */
export const clearResults = async (
  records: readonly RecordsShown[],
  names: readonly string[],
  { resource, externalId }: ForgottenName,
  { kysely }: Transaction,
): Promise<void> => {
  await kysely
    .updateTable('import_results as r')
    .from('imports as i')
    .set({ errors: sql<string>`cleared_messages(r.errors, ${cleared})` })
    .whereRef('i.id', '=', 'r.import_id')
    .where('r.result', '=', 'failed')
    .where(sql<SqlBool>`jsonb_array_length(r.errors) > 0`)
    .where(({ and, eb, or }) =>
      or([
        sql<SqlBool>`i.resource || '/' || r.id = any(${recordsLiteral(records)}::text[])`,
        and([eb('i.resource', '=', resource), eb('r.external_id', '=', externalId as string | null)]),
        containsAll('r.errors', names),
      ]),
    )
    .execute();
};
