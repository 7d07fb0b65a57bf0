import { type SqlBool, sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { containsAll, recordsLiteral, type Shown } from './replies.ts';

/** Deletes the webhooks in the inbox of a sandbox that contain one of the records or all names. */
export const clearInbox = async (
  records: readonly Shown[],
  names: readonly string[],
  { kysely }: Transaction,
): Promise<void> => {
  const contained = sql<SqlBool>`jsonb_typeof(body::jsonb #> '{data,record}') = 'object'
    and concat_ws('/', body::jsonb #>> '{data,resource}', body::jsonb #>> '{data,id}') = any(${recordsLiteral(records)}::text[])`;
  await kysely
    .deleteFrom('sandbox_inbox')
    .where(({ or }) => or([contained, containsAll('body', names)]))
    .execute();
};

/** Replaces the messages in import results, which can contain values of the row. */
const cleared = 'The message has been removed, because the person has been forgotten.';

/** A record by its external id; null: it has none. */
interface Named {
  readonly resource: string;
  readonly externalId: unknown;
}

/**
 * Clears the messages of failed rows of imports that are about one of the records, or about the record with the external id, or that
 * contain all names. Codes and fields stay.
 */
export const clearResults = async (
  records: readonly Shown[],
  names: readonly string[],
  { resource, externalId }: Named,
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
        sql<SqlBool>`concat_ws('/', i.resource, r.id) = any(${recordsLiteral(records)}::text[])`,
        and([eb('i.resource', '=', resource), eb('r.external_id', '=', externalId as string | null)]),
        containsAll('r.errors', names),
      ]),
    )
    .execute();
};
