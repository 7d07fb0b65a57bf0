import { cachedBy } from '../../core/cached.ts';
import type { RawResult, RawStatement } from '../connection.ts';

/** Statements that one piece of work sends together, and what takes their results. */
export interface WorkStatements {
  readonly work: number;
  readonly statements: readonly RawStatement[];
  readonly resolve: (results: readonly RawResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Where a statement stands. */
type Place = readonly [sending: number, index: number];

/** Statements of one form at the head of what their work sends, or a single statement. */
type Alike = readonly Place[];

/** Returns the statements of sendings, those of one form as one, and what hands their results out. */
export const unite = (sendings: readonly WorkStatements[]) => {
  const groups: Alike[] = [];
  const works = Map.groupBy(
    sendings.flatMap(({ work, statements }, sending) =>
      statements.map((statement, index) => ({ work, kind: kindOf(statement), place: [sending, index] as const })),
    ),
    ({ work }) => work,
  );
  const heads = new Set([...works.values()].map(items => ({ items, at: 0 })));
  for (const head of heads) {
    for (let item = head.items[head.at]; item; item = head.items[head.at]) {
      const { kind } = item;
      const same = kind === null ? [head] : [...heads].filter(({ items, at }) => items[at]?.kind === kind);
      groups.push(same.map(other => other.items[other.at++]?.place as Place));
    }
    heads.delete(head);
  }
  const statementAt = ([sending, index]: Place) => sendings[sending]?.statements[index] as RawStatement;
  return {
    statements: groups.map(group => oneOf(group.map(statementAt))),
    give: (results: readonly RawResult[]) => {
      const given: RawResult[][] = sendings.map(() => []);
      for (const [place, group] of groups.entries())
        for (const [sending, index] of group) {
          const result = results[place] as RawResult;
          (given[sending] as RawResult[])[index] =
            group.length === 1 ? result : resultOf(result, statementAt([sending, index]));
        }
      for (const [index, { resolve }] of sendings.entries()) resolve(given[index] ?? []);
    },
  };
};

/** What statements that can be sent as one have in common; null: it is sent alone. */
const kindOf = ({ member }: RawStatement): string | null => {
  if (!member) return null;
  const { form, cells } = member;
  const shared = Object.entries(form.ways).flatMap(([index, way]) => (way === 'shared' ? [cells[Number(index)]] : []));
  return shared.length === 0 ? form.shape : JSON.stringify([form.shape, ...shared]);
};

const oneOf = (statements: readonly RawStatement[]): RawStatement => {
  const [first] = statements as [RawStatement];
  if (statements.length === 1 || !first.member) return first;
  const { form, cells } = first.member;
  const { name, text, slots } = form.textFor(statements.length);
  const all = statements.map(({ member }) => member?.cells ?? []);
  if (form.ways === 'rows') {
    const values = [cells[0] ?? null, ...all.flatMap(own => own.slice(1))];
    return { name: isCommon(statements.length) ? name : null, text, values: slots.map(slot => values[slot] ?? null) };
  }
  const { ways } = form;
  const valueAt = (slot: number): string | null => {
    const way = ways[slot];
    const values = all.map(own => own[slot] ?? null);
    return way === 'shared' ? (cells[slot] ?? null) : way === 'union' ? unionOf(values) : arrayOf(values);
  };
  return { name, text, values: slots.map(valueAt) };
};

/** Whether a number of rows is one of few that have a prepared statement: a power of two. */
const isCommon = (count: number): boolean => (count & (count - 1)) === 0;

/** The literal of an array of strings. */
const arrayOf = (cells: readonly (string | null)[]): string =>
  `{${cells.map(cell => (cell === null ? 'null' : `"${cell.replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`;

/** The literal of an array with the items of array literals. */
const unionOf = (cells: readonly (string | null)[]): string =>
  `{${cells.flatMap(cell => (cell === null || cell === '{}' ? [] : [cell.slice(1, -1)])).join(',')}}`;

const rowsByKey = cachedBy(({ rows }: RawResult) => Map.groupBy(rows, row => row.at(-1) ?? null));

const resultOf = (result: RawResult, { member }: RawStatement): RawResult => {
  const gives = member?.form.gives ?? 'all';
  if (gives === 'all') return result;
  if (gives === 'none') return { ...result, rows: [], cells: [], affected: 1 };
  return { ...result, rows: rowsByKey(result).get(member?.cells[1] ?? null) ?? [] };
};
