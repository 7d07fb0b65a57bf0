import { LRUCache } from 'lru-cache';
import type { Cells } from '../core/resource/cells.ts';
import type { Member, Representation } from '../core/resource/representation.ts';
import type { Field } from '../core/resource/resource.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';

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

const known = new WeakMap<readonly Field[], readonly Member[]>();

const fieldMembers = (fields: readonly Field[]): readonly Member[] => {
  const members = known.get(fields) ?? fields.map(({ name, type }) => ({ name, type }));
  known.set(fields, members);
  return members;
};

/** Members of fields with embeds, by the lists of fields; limited, since any order is possible. */
const embedding = new LRUCache<string, readonly Member[]>({ max: 1000 });

/** The members of fields and embeds: one array for the same ones, since encoders compile by it. */
const membersOf = ({ fields, embeds }: Pick<ReadPlan, 'fields' | 'embeds'>): readonly Member[] => {
  const own = fieldMembers(fields);
  if (embeds.length === 0) return own;
  const key = [numberOf(fields), ...embeds.map(embed => `${embed.name}:${numberOf(embed.fields)}`)].join();
  const members = embedding.get(key) ?? [...own, ...embeds.map(embedMember)];
  embedding.set(key, members);
  return members;
};

const embedMember = ({ name, relation, set, fields }: EmbedPlan): Member => ({
  name,
  many: relation.many,
  singular: set.resource.singular,
  members: fieldMembers(fields),
});

const numbers = new WeakMap<readonly Field[], number>();
let last = 0;

/** A number that no other list of fields has. */
const numberOf = (fields: readonly Field[]): number => {
  const number = numbers.get(fields) ?? ++last;
  numbers.set(fields, number);
  return number;
};

const beside = new WeakMap<readonly Field[], readonly string[]>();

/** Returns the fields that decide what is shown of the values of others. Cached. */
export const besideOf = (fields: readonly Field[]): readonly string[] => {
  const known = beside.get(fields) ?? fields.flatMap(({ show }) => show?.beside ?? []);
  beside.set(fields, known);
  return known;
};

/**
 * Returns the rows as the API user may see them: JSON values without what is hidden in them.
 * @param columns the fields of the cells
 */
export const shownRows = (columns: readonly Field[], rows: readonly Cells[]): readonly Cells[] => {
  const shown = columns.flatMap(({ show }, index) => {
    if (!show) return [];
    return [{ index, value: show.value, beside: columns.findIndex(({ name }) => name === show.beside) }];
  });
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
