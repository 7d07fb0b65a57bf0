import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { chunksOf } from '../../core/chunks.ts';
import type { Transaction } from '../../db/database.ts';
import { insertable, oneOf, withIds } from '../../db/ids.ts';
import type { Correction } from './correction.ts';
import { differenceOf, linesJson, type WageLine } from './difference.ts';
import { isStorable, sumOf } from './money.ts';
import { draftSheets, type PaysheetDraft, wageLine } from './sheets.ts';

/** What a correction yields: the lines, and their sums by currency. */
export type Yielded = Pick<Correction, 'lines' | 'totals'>;

/** A correction that ends, and its lines by currency. */
interface Ended {
  readonly id: number;
  readonly correction: Correction;
  readonly byCurrency: readonly (readonly [currency: string, lines: readonly WageLine[]])[];
}

/**
 * Writes what the corrections of locked assignments yield.
 * One paysheet for each currency; none without a difference. Earlier ones that no pay run has collected are replaced. The number of
 * statements does not depend on the number of assignments. Call it once the wages are final. Roll back if one is not payable.
 * @param corrections by the ids of their assignments
 */
export const writeDifferences = async (
  corrections: ReadonlyMap<number, Correction>,
  transaction: Transaction,
): Promise<ReadonlyMap<number, Yielded>> => {
  const ids = [...corrections.keys()];
  if (ids.length === 0) return new Map();
  await transaction.kysely
    .deleteFrom('paysheets')
    .where('assignment_id', '=', oneOf(ids))
    .where('kind', '=', 'correction')
    .where('pay_run_id', 'is', null)
    .execute();
  const paid = Map.groupBy(await paidLines(ids, transaction), line => line.assignment_id);
  const owed = Map.groupBy(await owedLines(ids, transaction), line => line.assignment_id);
  const ended = [...corrections].map(([id, correction]): Ended => {
    const lines = differenceOf((paid.get(id) ?? []).map(ownLine), (owed.get(id) ?? []).map(ownLine));
    const byCurrency = [...Map.groupBy(lines, ({ currency }) => currency)].sort(([a], [b]) => (a < b ? -1 : 1));
    return { id, correction, byCurrency };
  });
  const yielded = new Map(ended.map(({ id, byCurrency }) => [id, yieldedBy(byCurrency)]));
  const differing = ended.filter(({ byCurrency }) => byCurrency.length > 0);
  if ([...yielded.values()].every(isPayable)) await addSheets(differing, transaction);
  return yielded;
};

/** Returns whether what a correction yields can be written: no sum of it is out of range. */
export const isPayable = ({ totals = [] }: Yielded): boolean => totals.every(({ amount }) => isStorable(amount));

const yieldedBy = (byCurrency: Ended['byCurrency']): Yielded => ({
  lines: JSON.parse(linesJson(byCurrency.flatMap(([, lines]) => lines))),
  totals: byCurrency.map(([currency, own]) => ({ currency, amount: Number(sumOf(own.map(({ amount }) => amount))) })),
});

const addSheets = async (ended: readonly Ended[], transaction: Transaction): Promise<void> => {
  if (ended.length === 0) return;
  const { kysely } = transaction;
  const ids = ended.map(({ id }) => id);
  const { sheets } = await draftSheets(ids, 'id', transaction);
  const drafts = new Map(sheets.map(draft => [draft.assignment_id, draft]));
  const corrected = await kysely
    .selectFrom('paysheets')
    .select(['id', 'period_start', 'period_end', 'wage_profile_id', 'worked_on', 'project_id', 'client_id'])
    .where('id', '=', oneOf(ended.map(({ correction }) => correction.paysheet_id)))
    .execute();
  const sheetOf = new Map(corrected.map(({ id, ...sheet }) => [id, sheet]));
  const rows = ended.flatMap(({ id, correction: { number, paysheet_id }, byCurrency }) => {
    const [draft, sheet] = [drafts.get(id), sheetOf.get(paysheet_id)];
    if (!draft || !sheet) throw new Error('An assignment or its paysheet does not exist although it is locked.');
    // A paysheet made by hand does not say when and for whom the work was.
    const own = sheet.worked_on === null ? { ...sheet, ...placeOf(draft) } : sheet;
    return byCurrency.map(([currency, lines]) => ({
      ...own,
      assignment_id: id,
      paid_employee_id: draft.paid_employee_id,
      kind: 'correction' as const,
      corrects_paysheet_id: paysheet_id,
      number,
      currency,
      lines: linesJson(lines),
    }));
  });
  for (const chunk of chunksOf(await withIds(transaction, 'paysheets', rows), insertable))
    await kysely.insertInto('paysheets').values(chunk).execute();
};

const placeOf = ({ worked_on, project_id, client_id }: PaysheetDraft) => ({
  worked_on,
  project_id,
  client_id,
});

/** The columns of a line, decimals as text; where only an amount is known, it is the rate. */
const columnsOf = (line: RawBuilder<unknown>) => {
  const text = (name: string) => sql<string>`${line} ->> ${sql.lit(name)}`;
  const factors = (name: string) =>
    sql<string>`case when ${text('rate')} is null then '1' else coalesce(${text(name)}, '1') end`;
  return [
    sql<number | null>`(${text('wage_type_id')})::bigint`.as('wage_type_id'),
    text('name').as('name'),
    factors('quantity').as('quantity'),
    sql<string | null>`${text('unit')}`.as('unit'),
    sql<string>`coalesce(${text('rate')}, ${text('amount')})`.as('rate'),
    factors('factor').as('factor'),
    text('amount').as('amount'),
    text('currency').as('currency'),
    sql<string | null>`${text('wage_type_external_id')}`.as('wage_type_external_id'),
  ] as const;
};

/** A line with the assignment that it pays for. */
type AssignedLine = WageLine & { readonly assignment_id: number };

const ownLine = ({ assignment_id: _, ...line }: AssignedLine): WageLine => line;

/** Returns the wage lines of assignments' paysheets: of those made by hand, those with a wage type. */
const paidLines = (assignmentIds: readonly number[], { kysely }: Transaction): Promise<readonly AssignedLine[]> =>
  kysely
    .selectFrom(eb =>
      eb
        .selectFrom('paysheets as s')
        .select(['s.id', 's.assignment_id', 's.wage_profile_id', 's.worked_on'])
        .select(sql`jsonb_array_elements(s.lines)`.as('line'))
        .where('s.assignment_id', '=', oneOf(assignmentIds))
        .as('e'),
    )
    .select('e.assignment_id')
    .select(columnsOf(sql.ref('e.line')))
    .select(
      // Of those made by hand, it is the paysheet's; a wage can have none.
      sql<number | null>`case when e.worked_on is null then e.wage_profile_id
        else (e.line ->> 'wage_profile_id')::bigint end`.as('wage_profile_id'),
    )
    .where(sql<SqlBool>`(e.worked_on is not null or e.line ->> 'wage_type_id' is not null)`)
    .orderBy('e.id')
    .execute();

/** Returns the enabled wages of assignments as lines. */
const owedLines = (assignmentIds: readonly number[], { kysely }: Transaction): Promise<readonly AssignedLine[]> =>
  kysely
    .selectFrom(eb =>
      eb
        .selectFrom('assignment_wages as w')
        .select(['w.id', 'w.assignment_id', 'w.wage_profile_id', wageLine.as('line')])
        .where('w.assignment_id', '=', oneOf(assignmentIds))
        .where('w.is_disabled', '=', false)
        .as('e'),
    )
    .select(columnsOf(sql.ref('e.line')))
    .select(['e.assignment_id', 'e.wage_profile_id'])
    .orderBy('e.id')
    .execute();
