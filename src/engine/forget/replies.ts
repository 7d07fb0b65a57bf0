import { type SqlBool, sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { arrayLiteral } from '../../db/values.ts';

/** Records of a resource. */
interface Shown {
  readonly resource: string;
  readonly ids: readonly number[];
}

/**
 * Removes the bodies of the responses that are kept for repetitions (`Idempotency-Key`) and show one of the records or contain one of
 * the texts. Status and headers stay, so that a repetition still changes nothing.
 */
export const clearReplies = async (
  records: readonly Shown[],
  texts: readonly string[],
  { kysely }: Transaction,
): Promise<void> => {
  const shown = records.flatMap(({ resource, ids }) => ids.map(id => `${resource}/${id}`));
  // As the response has them: a string in JSON, which in a list of records is within JSON again.
  const patterns = texts.map(text => `%${escaped(JSON.stringify(text).slice(1, -1))}%`);
  await kysely
    .updateTable('idempotency_keys')
    .set({ reply: sql<string>`jsonb_set(reply::jsonb, '{body}', 'null')::text`, shown: '[]' })
    .where(sql<SqlBool>`(shown ?| ${arrayLiteral(shown)}::text[] or reply like any(${arrayLiteral(patterns)}::text[]))`)
    .execute();
};

/** Escapes the wildcards of LIKE. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');
