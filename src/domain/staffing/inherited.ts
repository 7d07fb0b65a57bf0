import type { Row, Statement, Telling, Transaction } from '../../db/database.ts';
import { literal, oneIn } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';

const inherited = ['start', 'end', 'break_start', 'break_end', 'wage_profile_id'] as const;

const reading = prepare((db, { ids }: { ids: string }) =>
  db
    .selectFrom('assignments_view')
    .select(['id', ...inherited])
    .where('id', '=', oneIn(ids)),
);

/**
 * Gives the journal the values that differ of assignments, which are locked.
 * Their own and those that they show of others. Sent with the next trip, before the writes.
 * @returns the function to call after the writes
 */
export const followInherited = (ids: readonly number[], transaction: Transaction): (() => void) => {
  const { text, name, values } = reading({ ids: literal(ids) }).for(transaction.tenant.id);
  const read = (differing: Telling['differing']): Statement => ({
    ...{ text, name, values: values.map(String) },
    tells: { table: 'assignments', differing },
  });
  let before: ReadonlyMap<string | null | undefined, Row> = new Map();
  const taking = read(rows => {
    before = new Map(rows.map(row => [row[0], row]));
    return [];
  });
  void transaction.defer(taking);
  const fieldsOf = (row: Row) => inherited.filter((_, index) => row[index + 1] !== before.get(row[0])?.[index + 1]);
  return () => void transaction.defer(read(rows => rows.map(row => ({ id: String(row[0]), fields: fieldsOf(row) }))));
};
