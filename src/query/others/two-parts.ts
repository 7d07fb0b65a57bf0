import { type SqlBool, sql } from 'kysely';
import type { Field } from '../../core/resource/resource.ts';
import type { ReadPlan } from '../plan.ts';
import { directionOf, type OrderTerm } from '../sort.ts';
import { limitOf, type Selection, select } from '../source.ts';
import { place } from '../statement.ts';
import { fromParts, parts } from './parts.ts';

/**
 * Selects a page in the order of a value that records may lack, of those with and without one.
 * The second of the two is selected only if the first does not fill the page.
 */
export const selectInTwoParts = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const [term, ...others] = plan.order as [OrderTerm, ...OrderTerm[]];
  const fields = [...new Set([...columns, ...plan.order.map(({ field }) => field)])];
  const part = (number: number, only: 'values' | 'nulls'): Selection => {
    // All of a part come after a record of the other one.
    const after = plan.after && (plan.after[0] === null) === (only === 'nulls') ? plan.after : null;
    const records = select({ ...plan, order: [{ ...term, only }, ...others], after }, fields, parts);
    return records.select(sql.lit(number).as('part'));
  };
  const [first, second] = term.descending ? (['nulls', 'values'] as const) : (['values', 'nulls'] as const);
  const found = parts.selectFrom('former').select(sql`count(*)`.as('count'));
  const [former, latter] = [part(0, first), part(1, second).where(sql<SqlBool>`(${found}) < ${limitOf(plan)}`)];
  const steps = Object.entries({ former, latter });
  const [page, rest] = [parts.selectFrom('former').selectAll(), parts.selectFrom('latter').selectAll()];
  const ordered = plan.order.reduce(
    (query, term) => query.orderBy(sql.id('r', place(term.field)), directionOf(term)),
    fromParts(steps, [page, rest], columns).orderBy('r.part'),
  );
  return ordered.limit(limitOf(plan));
};
