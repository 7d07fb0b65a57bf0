import type { Row, Statement, Transaction } from '../../db/database.ts';
import { prepare } from '../../db/prepared.ts';

const inherited = ['start', 'end', 'break_start', 'break_end', 'wage_profile_id'] as const;

const reading = prepare((db, { id }: { id: number }) =>
  db.selectFrom('assignments_view').select(inherited).where('id', '=', id),
);

/**
 * Gives the journal the values that differ of an assignment, which is locked.
 * Its own and those that it shows of others. Sent with the next trip, before the writes.
 * @returns the function to call after the writes
 */
export const followInherited = (id: number, transaction: Transaction): (() => void) => {
  const { text, name, values } = reading({ id }).for(transaction.tenant.id);
  const read = (fields: (row: Row | undefined) => readonly string[]): Statement => ({
    ...{ text, name, values: values.map(String) },
    tells: { table: 'assignments', id: String(id), fields },
  });
  let before: Row | undefined;
  const taking = read(row => {
    before = row;
    return [];
  });
  void transaction.defer(taking);
  return () => void transaction.defer(read(row => inherited.filter((_, index) => row?.[index] !== before?.[index])));
};
