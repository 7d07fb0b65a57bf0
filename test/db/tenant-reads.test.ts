import { describe } from 'node:test';
import { sql } from 'kysely';
import { type Case, compiling, testCases } from './compiling.ts';

const db = compiling(7);

const reads: Case[] = [
  ['a select', db.selectFrom('books').select('id'), 'select "id" from "books" where "books"."tenant_id" = $1', [7]],
  [
    'an alias',
    db.selectFrom('books as b').select('b.id'),
    'select "b"."id" from "books" as "b" where "b"."tenant_id" = $1',
    [7],
  ],
  [
    'a condition of raw SQL with an or',
    db.selectFrom('books').select('id').where(sql<boolean>`id = 1 or true`),
    'select "id" from "books" where "books"."tenant_id" = $1 and (id = 1 or true)',
    [7],
  ],
  [
    'several tables in from',
    db.selectFrom(['books as a', 'books as b']).select('a.id'),
    'select "a"."id" from "books" as "a", "books" as "b" where "a"."tenant_id" = $1 and "b"."tenant_id" = $2',
    [7, 7],
  ],
  [
    'an inner join of a table with itself',
    db.selectFrom('books as a').innerJoin('books as b', 'b.shelf_id', 'a.shelf_id').select('b.id'),
    'select "b"."id" from "books" as "a" inner join "books" as "b" on "b"."tenant_id" = $1 and ("b"."shelf_id" = "a"."shelf_id") where "a"."tenant_id" = $2',
    [7, 7],
  ],
  [
    'a left join, in its own condition',
    db.selectFrom('books').leftJoin('shelves', 'shelves.id', 'books.shelf_id').select('label'),
    'select "label" from "books" left join "shelves" on "shelves"."tenant_id" = $1 and ("shelves"."id" = "books"."shelf_id") where "books"."tenant_id" = $2',
    [7, 7],
  ],
  [
    'a cross join',
    db.selectFrom('books').crossJoin('shelves').select('label'),
    'select "label" from "books" cross join "shelves" where "books"."tenant_id" = $1 and "shelves"."tenant_id" = $2',
    [7, 7],
  ],
  [
    'a lateral join of a subquery',
    db
      .selectFrom('shelves')
      .leftJoinLateral(
        eb => eb.selectFrom('books').select('title').whereRef('shelf_id', '=', 'shelves.id').limit(1).as('first'),
        join => join.onTrue(),
      )
      .select('title'),
    'select "title" from "shelves" left join lateral (select "title" from "books" where "books"."tenant_id" = $1 and ("shelf_id" = "shelves"."id") limit $2) as "first" on true where "shelves"."tenant_id" = $3',
    [7, 1, 7],
  ],
  [
    'subqueries in select, from and where',
    db
      .selectFrom(eb => eb.selectFrom('books').select('shelf_id').as('b'))
      .select(eb => eb.selectFrom('shelves').select('label').as('first'))
      .where(eb => eb.exists(eb.selectFrom('shelves').select('id').whereRef('id', '=', 'b.shelf_id'))),
    'select (select "label" from "shelves" where "shelves"."tenant_id" = $1) as "first" from (select "shelf_id" from "books" where "books"."tenant_id" = $2) as "b" where exists (select "id" from "shelves" where "shelves"."tenant_id" = $3 and ("id" = "b"."shelf_id"))',
    [7, 7, 7],
  ],
  [
    'a query built apart, once',
    db.selectFrom('books').select('id').where('shelf_id', 'in', db.selectFrom('shelves').select('id')),
    'select "id" from "books" where "books"."tenant_id" = $1 and ("shelf_id" in (select "id" from "shelves" where "shelves"."tenant_id" = $2))',
    [7, 7],
  ],
  [
    'a union',
    db.selectFrom('books').select('id').union(db.selectFrom('shelves').select('id')),
    'select "id" from "books" where "books"."tenant_id" = $1 union select "id" from "shelves" where "shelves"."tenant_id" = $2',
    [7, 7],
  ],
  [
    'the body of a common table expression, and not its name',
    db
      .with('some', q => q.selectFrom('books').select('id'))
      .selectFrom('some')
      .innerJoin('some as other', 'other.id', 'some.id')
      .select('some.id'),
    'with "some" as (select "id" from "books" where "books"."tenant_id" = $1) select "some"."id" from "some" inner join "some" as "other" on "other"."id" = "some"."id"',
    [7],
  ],
  [
    'a common table expression that is named like the table that it reads',
    db
      .with('books', q => q.selectFrom('books').select('id'))
      .selectFrom('books')
      .select('id'),
    'with "books" as (select "id" from "books" where "books"."tenant_id" = $1) select "id" from "books"',
    [7],
  ],
  [
    'a full join of common table expressions',
    db
      .with('some', q => q.selectFrom('books').select('id'))
      .with('others', q => q.selectFrom('shelves').select('id'))
      .selectFrom('some')
      .fullJoin('others', 'others.id', 'some.id')
      .select('some.id'),
    'with "some" as (select "id" from "books" where "books"."tenant_id" = $1), "others" as (select "id" from "shelves" where "shelves"."tenant_id" = $2) select "some"."id" from "some" full join "others" on "others"."id" = "some"."id"',
    [7, 7],
  ],
  [
    'a recursive common table expression',
    db
      .withRecursive('tree', q =>
        q
          .selectFrom('books')
          .select('id')
          .unionAll(q.selectFrom('books').innerJoin('tree', 'tree.id', 'books.shelf_id').select('books.id')),
      )
      .selectFrom('tree')
      .select('id'),
    'with recursive "tree" as (select "id" from "books" where "books"."tenant_id" = $1 union all select "books"."id" from "books" inner join "tree" on "tree"."id" = "books"."shelf_id" where "books"."tenant_id" = $2) select "id" from "tree"',
    [7, 7],
  ],
  [
    'a lock of an alias',
    db.selectFrom('books as b').select('b.id').forUpdate('b'),
    'select "b"."id" from "books" as "b" where "b"."tenant_id" = $1 for update of "b"',
    [7],
  ],
  [
    'a function in place of a table',
    db.selectFrom(sql<{ n: number }>`generate_series(1, ${3})`.as<'n'>(sql`n`)).select('n'),
    'select "n" from generate_series(1, $1) as n',
    [3],
  ],
  [
    'a row among the arguments of a function',
    db.selectFrom('books').select(eb => eb.fn.toJson('books').as('row')),
    'select to_json("books") as "row" from "books" where "books"."tenant_id" = $1',
    [7],
  ],
  ['no table', db.selectNoFrom(sql<number>`1 + 1`.as('two')), 'select 1 + 1 as "two"', []],
];

describe('the tenant plugin binds', () => testCases(reads));
