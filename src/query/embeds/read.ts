import type { Cell, Cells } from '../../core/resource/cells.ts';
import type { Field } from '../../core/resource/resource.ts';
import type { Result, TenantDb } from '../../db/database.ts';
import type { EmbedPlan, ReadPlan } from '../plan.ts';
import { shownRows } from '../representation.ts';
import { ownResults, placeOf, plannedAnew, type SendStatements } from '../rows.ts';
import { embeddedColumns, embedStatement } from '../sql.ts';
import { asTooLarge, countStatement, embedTooLarge } from './count.ts';

/** The rows with a cell for each field and embed of the plan: one trip for all that is embedded. */
export const complete = async (
  plan: ReadPlan,
  columns: readonly Field[],
  rows: readonly Cells[],
  send: SendStatements,
  tenantId: number,
): Promise<readonly Cells[]> => {
  const { fields, embeds } = plan;
  const cells = shownRows(columns, rows);
  if (rows.length === 0 || embeds.length === 0) return cells;
  const sources = embeds.map(({ relation }) => placeOf(columns, relation.from));
  const wanted = sources.map(index => [...new Set(rows.flatMap(row => row.text(index) ?? []))]);
  const results = await send(
    embeds.map((embed, index) => embedStatement(embed, wanted[index] as string[], tenantId)),
    true,
  ).catch(error => {
    throw asTooLarge(error, embeds);
  });
  const groups = embeds.map((embed, index) => embedded(embed, results[index] as Result));
  let left = Math.max(...embeds.map(({ most }) => most));
  return cells.map((own, row) =>
    embeds.reduce((record, embed, index) => {
      const found = groups[index]?.get(rows[row]?.text(sources[index] as number) ?? '') ?? [];
      if (embed.relation.many) left -= found.length;
      if (left < 0) throw embedTooLarge(embed);
      const cell: Cell = embed.relation.many ? found : (found.at(-1) ?? null);
      return record.with(fields.length + index, cell);
    }, own),
  );
};

/** The records of an embed by the key that they are embedded for. */
const embedded = (embed: EmbedPlan, { cells: rows }: Result): ReadonlyMap<string, readonly Cells[]> => {
  const columns = embeddedColumns(embed);
  const cells = shownRows(columns, rows);
  const groups = new Map<string, Cells[]>();
  for (const [index, row] of rows.entries()) {
    const key = row.text(columns.length) as string;
    const [group, own] = [groups.get(key), cells[index] as Cells];
    if (group) group.push(own);
    else groups.set(key, [own]);
  }
  return groups;
};

/**
 * Counts what a whole listing embeds by relations to many, before its first byte.
 * @throws ApiError embed_too_large (400)
 */
export const requireEmbeddable = async (plan: ReadPlan, db: TenantDb): Promise<void> => {
  const many = plan.embeds.filter(({ relation }) => relation.many);
  if (many.length === 0) return;
  const counts = ownResults(
    await db.read(...plannedAnew(many.map(embed => countStatement(plan, embed, db.tenant.id)))),
  );
  let count = 0;
  for (const [index, embed] of many.entries()) {
    count += Number(counts[index]?.rows[0]?.[0]);
    if (count > embed.most) throw embedTooLarge(embed);
  }
};
