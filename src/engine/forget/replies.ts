import { type SqlBool, sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { arrayLiteral } from '../../db/values.ts';

/** Records of a resource. */
export interface RecordsShown {
  readonly resource: string;
  readonly ids: readonly number[];
}

/**
 * Removes the bodies of kept responses that show one of the records or contain all names.
 * The keys stay, so that a repetition changes nothing, and so do status and headers: they tell that it was carried out.
 */
export const clearReplies = async (
  records: readonly RecordsShown[],
  names: readonly string[],
  { kysely }: Transaction,
): Promise<void> => {
  await kysely
    .updateTable('idempotency_keys')
    .set({ reply: withoutBody, shown: '[]' })
    .where(({ or }) => or([sql<SqlBool>`shown ?| ${recordsLiteral(records)}::text[]`, containsAll('reply', names)]))
    .execute();
};

const withoutBody = sql<string>`reply_head(reply)`;

/** Returns records as an array literal of strings: each as `<resource>/<id>`. */
export const recordsLiteral = (records: readonly RecordsShown[]): string =>
  arrayLiteral(records.flatMap(({ resource, ids }) => ids.map(id => `${resource}/${id}`)));

/** Returns the condition that a JSON column contains all names as strings; false without names. */
export const containsAll = (column: string, names: readonly string[]) => {
  const patterns = names.map(name => `%${escaped(JSON.stringify(name).slice(1, -1))}%`);
  return names.length > 0
    ? sql<SqlBool>`${sql.ref(column)}::text like all (${arrayLiteral(patterns)}::text[])`
    : sql<SqlBool>`false`;
};

/** Escapes the wildcards of LIKE. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');
