import { LRUCache } from 'lru-cache';
import { cachedBy } from '../core/cached.ts';
import type { Cell, Cells } from '../core/resource/cells.ts';
import type { Member, Representation } from '../core/resource/representation.ts';
import type { Field } from '../core/resource/resource.ts';
import type { Result, Statement, TenantDb } from '../db/database.ts';
import { asTooLarge, countStatement, embedTooLarge } from './embeds.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';
import { ownResults, placeOf, plannedAnew, type SendStatements, supplemented } from './rows.ts';
import { embeddedColumns, embedStatement } from './sql.ts';

/** The representation of a plan's records. */
export const represent = <Name extends string, Many extends boolean>(
  { set: { resource }, many, ...plan }: ReadPlan<Name, Many>,
  records: readonly Cells[],
): Representation<Name, Many> => ({
  plural: resource.name,
  singular: resource.singular,
  many,
  members: membersOf(plan),
  records,
});

let last = 0;

/** The members of a list of fields, and a number that no other list has. */
const listOf = cachedBy((fields: readonly Field[]) => ({
  number: ++last,
  members: fields.map(({ name, type }): Member => ({ name, type })),
}));

/** Members of fields with embeds, by the lists of fields; limited, since any order is possible. */
const embedding = new LRUCache<string, readonly Member[]>({ max: 1000 });

/** The members of fields and embeds: one array for the same ones, since encoders compile by it. */
const membersOf = ({ fields, embeds }: Pick<ReadPlan, 'fields' | 'embeds'>): readonly Member[] => {
  const own = listOf(fields);
  if (embeds.length === 0) return own.members;
  const key = [own.number, ...embeds.map(embed => `${embed.name}:${listOf(embed.fields).number}`)].join();
  const members = embedding.get(key) ?? [...own.members, ...embeds.map(embedMember)];
  embedding.set(key, members);
  return members;
};

const embedMember = ({ name, relation, set, fields }: EmbedPlan): Member => ({
  name,
  many: relation.many,
  singular: set.resource.singular,
  members: listOf(fields).members,
});

/** A column whose values are not shown as they are, and the index of the one beside it; -1: none. */
interface ShownColumn {
  readonly index: number;
  readonly value: ShowValue;
  readonly beside: number;
}

const shownIn = cachedBy((columns: readonly Field[]): readonly ShownColumn[] =>
  columns.flatMap(({ show }, index) =>
    show ? { index, value: show.value, beside: show.beside === undefined ? -1 : placeOf(columns, show.beside) } : [],
  ),
);

/**
 * Returns the rows as the API user may see them: JSON values without what is hidden in them.
 * @param columns the fields of the cells
 */
const shownRows = (columns: readonly Field[], rows: readonly Cells[]): readonly Cells[] => {
  const shown = shownIn(columns);
  if (shown.length === 0) return rows;
  return rows.map(row =>
    shown.reduce((cells, { index, value, beside }) => {
      const text = shownText(value, row.text(index), beside < 0 ? null : row.text(beside));
      return cells.with(index, text);
    }, row),
  );
};

type ShowValue = NonNullable<Field['show']>['value'];

const shownText = (show: ShowValue, text: string | null, beside: string | null): string | null =>
  text === null ? null : JSON.stringify(show(JSON.parse(text), beside));

/**
 * The rows with a cell for each field and embed of the plan, supplemented.
 * One trip reads all that is embedded.
 */
export const complete = async (
  plan: ReadPlan,
  columns: readonly Field[],
  found: readonly Cells[],
  send: SendStatements,
  tenantId: number,
): Promise<readonly Cells[]> => {
  const { fields, embeds, supplement } = plan;
  if (found.length === 0) return found;
  const rows = supplement ? await supplemented(plan, supplement, columns, found, send) : found;
  const cells = shownRows(columns, rows);
  if (embeds.length === 0) return cells;
  const sources: number[] = [];
  const statements: Statement[] = [];
  for (const embed of embeds) {
    const source = placeOf(columns, embed.relation.from);
    const keys = new Set<string>();
    for (const row of rows) {
      const key = row.text(source);
      if (key !== null) keys.add(key);
    }
    sources.push(source);
    statements.push(embedStatement(embed, [...keys], tenantId));
  }
  const results = await send(statements, true).catch(error => {
    throw asTooLarge(error, embeds);
  });
  const groups = embeds.map((embed, index) => embedded(embed, results[index] as Result));
  // The same for all of them.
  let left = embeds[0]?.most ?? 0;
  return cells.map((own, row) => {
    let record = own;
    for (const [index, embed] of embeds.entries()) {
      const found = groups[index]?.get(rows[row]?.text(sources[index] as number) ?? '') ?? [];
      if (embed.relation.many) left -= found.length;
      if (left < 0) throw embedTooLarge(embed);
      const cell: Cell = embed.relation.many ? found : (found.at(-1) ?? null);
      record = record.with(fields.length + index, cell);
    }
    return record;
  });
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
  const statements = many.map(embed => countStatement(plan, embed, db.tenant.id));
  const counts = ownResults(await db.read(...plannedAnew(statements)));
  let count = 0;
  for (const [index, embed] of many.entries()) {
    count += Number(counts[index]?.rows[0]?.[0]);
    if (count > embed.most) throw embedTooLarge(embed);
  }
};
