import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModule, parseSync } from 'libpg-query';
import { ownSchema } from '../../../src/db/schema/files.ts';

await loadModule();

/** A node of libpg-query's syntax tree. */
type Syntax = Readonly<Record<string, unknown>>;

const isSyntax = (node: unknown): node is Syntax => typeof node === 'object' && node !== null;

const all = (node: unknown, kind: string): Syntax[] => {
  if (!isSyntax(node)) return [];
  const own = isSyntax(node[kind]) ? [node[kind] as Syntax] : [];
  return [...own, ...Object.values(node).flatMap(each => all(each, kind))];
};

const selectIn = (node: unknown): Syntax => ((node as Syntax | undefined)?.SelectStmt ?? {}) as Syntax;

/** Returns what a view has that Citus does not plan. */
const obstaclesIn = (text: string): readonly string[] => {
  const views = all(parseSync(text).stmts, 'ViewStmt');
  return views.flatMap(view => {
    const laterals = all(view, 'RangeSubselect').filter(({ lateral }) => lateral);
    const subqueries = all(view, 'SubLink').map(({ subselect }) => selectIn(subselect));
    return [
      ...laterals.filter(({ subquery }) => !selectIn(subquery).fromClause).map(() => 'LATERAL without FROM'),
      ...subqueries
        .filter(({ fromClause }) => all(fromClause, 'RangeFunction').some(call => all(call, 'ColumnRef').length > 0))
        .map(() => 'a subquery over the elements of an outer value'),
    ];
  });
};

const view = (select: string): string => `create view v as ${select};`;

describe('views', () => {
  for (const { name, text } of ownSchema.definitions.filter(file => /^create view/m.test(file.text)))
    it(`of ${name} have nothing that Citus does not plan`, () => assert.deepEqual(obstaclesIn(text), []));

  const rejected: [string, string][] = [
    ['select s.one from a cross join lateral (select a.x + 1 as one) s', 'LATERAL without FROM'],
    [
      'select (select max(b.id) from unnest(a.ids) o(id) join b on b.id = o.id) from a',
      'a subquery over the elements of an outer value',
    ],
  ];
  for (const [select, want] of rejected)
    it(`are found to have ${want}`, () => assert.deepEqual(obstaclesIn(view(select)), [want]));
});
