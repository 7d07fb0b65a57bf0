import { type SqlBool, sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { arrayLiteral } from '../../db/values.ts';

/** Records of a resource. */
interface Shown {
  readonly resource: string;
  readonly ids: readonly number[];
}

/**
 * Removes the responses that are kept for repetitions (`Idempotency-Key`) and show one of the records or contain
 * all names. The keys stay, so that a repetition changes nothing.
 */
export const clearReplies = async (
  records: readonly Shown[],
  names: readonly string[],
  { kysely }: Transaction,
): Promise<void> => {
  const shown = records.flatMap(({ resource, ids }) => ids.map(id => `${resource}/${id}`));
  // As strings in JSON.
  const patterns = names.map(name => `%${escaped(JSON.stringify(name).slice(1, -1))}%`);
  await kysely
    .updateTable('idempotency_keys')
    .set({ reply: null, shown: '[]' })
    .where(({ or, and, eb }) =>
      or([
        sql<SqlBool>`shown ?| ${arrayLiteral(shown)}::text[]`,
        ...(patterns.length > 0 ? [and(patterns.map(pattern => eb('reply', 'like', pattern)))] : []),
      ]),
    )
    .execute();
};

/** Escapes the wildcards of LIKE. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');
