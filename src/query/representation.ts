import type { Cells } from '../core/resource/cells.ts';
import type { Member, Representation } from '../core/resource/representation.ts';
import type { Field } from '../core/resource/resource.ts';
import type { ReadPlan } from './plan.ts';

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

const membersOf = ({ fields, embeds }: Pick<ReadPlan, 'fields' | 'embeds'>): readonly Member[] => {
  const own = fieldMembers(fields);
  if (embeds.length === 0) return own;
  return [
    ...own,
    ...embeds.map(embed => ({
      name: embed.name,
      many: embed.relation.many,
      singular: embed.set.resource.singular,
      members: fieldMembers(embed.fields),
    })),
  ];
};

const known = new WeakMap<readonly Field[], readonly Member[]>();

/** The members of a list of fields. Cached, because encoders cache what they compile by it. */
const fieldMembers = (fields: readonly Field[]): readonly Member[] => {
  let members = known.get(fields);
  if (!members) {
    members = fields.map(({ name, type }) => ({ name, type }));
    known.set(fields, members);
  }
  return members;
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

type Show = NonNullable<Field['show']>['value'];

const shownText = (show: Show, text: string | null, beside: string | null): string | null =>
  text === null ? null : JSON.stringify(show(JSON.parse(text), beside));
