import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { chunksOf } from '../../core/chunks.ts';
import type { Transaction } from '../../db/database.ts';
import { insertable, oneOf, withIds } from '../../db/ids.ts';
import { fieldsColumn } from '../../db/journal/write.ts';
import { triggerAutomations } from '../occurrences/trigger.ts';
import { conflictFields, type FoundConflict, identityOf } from './conflict.ts';

/** A stored conflict. */
interface StoredConflict extends FoundConflict {
  readonly id: number;
}

/**
 * Makes the stored conflicts of employees those that were found.
 * One that stays keeps its id, and nothing is written of one that is the same. New ones trigger automations.
 * @returns how many were added, changed and removed
 */
export const storeConflicts = async (
  employees: readonly number[],
  given: readonly FoundConflict[],
  transaction: Transaction,
): Promise<number> => {
  const found = await withOverridden(given, transaction);
  const { kysely } = transaction;
  const stored: readonly StoredConflict[] = await kysely
    .selectFrom('conflicts')
    .select(['id', ...conflictFields])
    .where('employee_id', '=', oneOf(employees))
    .execute();
  const known = new Map(stored.map(conflict => [identityOf(conflict), conflict]));
  const added = found.filter(conflict => !known.has(identityOf(conflict)));
  const changed = found.flatMap(conflict => {
    const before = known.get(identityOf(conflict));
    return before && !isSame(before, conflict) ? [{ ...conflict, id: before.id }] : [];
  });
  const stay = new Set(found.map(identityOf));
  const gone = stored.filter(conflict => !stay.has(identityOf(conflict)));
  await insert(added, transaction);
  for (const { id, ...conflict } of changed)
    void transaction.defer(
      kysely
        .updateTable('conflicts')
        .set(rowOf(conflict))
        .where('id', '=', id)
        .returning(category('conflicts.category')),
    );
  if (gone.length > 0)
    await kysely
      .deleteFrom('conflicts')
      .where('id', '=', oneOf(gone.map(({ id }) => id)))
      .returning(category('conflicts.category'))
      .execute();
  return added.length + changed.length + gone.length;
};

const insert = async (added: readonly FoundConflict[], transaction: Transaction): Promise<void> => {
  const rows = await withIds(transaction, 'conflicts', added);
  for (const chunk of chunksOf(rows, insertable))
    await transaction.kysely
      .insertInto('conflicts')
      .values(chunk.map(({ id, ...conflict }) => ({ id, ...rowOf(conflict) })))
      .returning(category('conflicts.category'))
      .execute();
  if (rows.length === 0) return;
  const load = async () => rows.map(({ id: conflict_id, ...conflict }) => ({ conflict_id, ...sentOf(conflict) }));
  await triggerAutomations('conflict.opened', load, transaction);
};

/** Returns what a webhook says of a conflict: nothing that is hidden from some API users. */
const sentOf = ({ busy_date_id: _, category: __, overridden, assignment_ids, ...conflict }: FoundConflict) => ({
  ...conflict,
  assignment_ids: [...assignment_ids],
  overridden: overridden ? 1 : 0,
});

const rowOf = ({ assignment_ids, ...conflict }: FoundConflict) => ({
  ...conflict,
  assignment_ids: JSON.stringify(assignment_ids),
});

const isSame = (one: FoundConflict, other: FoundConflict): boolean =>
  conflictFields.every(name => isDeepStrictEqual(one[name], other[name]));

/** How the journal keeps the category of a conflict, for its readers. */
const category = (column: string) => {
  const value: RawBuilder<unknown> = sql.ref(column);
  return sql`case when ${sql<SqlBool>`${value} is null`} then '{}'::text[] else array[':' || ${value}] end`.as(
    fieldsColumn,
  );
};

/** Marks the conflicts that were overridden: according to the history of one of their assignments. */
const withOverridden = async (
  found: readonly FoundConflict[],
  { kysely }: Transaction,
): Promise<readonly FoundConflict[]> => {
  const ids = new Set(found.flatMap(({ assignment_ids }) => assignment_ids));
  if (ids.size === 0) return found;
  const rows = await kysely
    .selectFrom('assignment_history')
    .select(['assignment_id', 'overridden'])
    .where('assignment_id', '=', oneOf([...ids]))
    .where(sql<SqlBool>`overridden <> '[]'`)
    .execute();
  const overridden = new Set(rows.flatMap(row => row.overridden.map(code => `${row.assignment_id} ${code}`)));
  return found.map(conflict => ({
    ...conflict,
    overridden: conflict.assignment_ids.some(id => overridden.has(`${id} ${conflict.type}`)),
  }));
};
