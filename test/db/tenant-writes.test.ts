import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Case, compiling, testCases } from './compiling.ts';

const db = compiling(7);

const writes: Case[] = [
  [
    'what a statement writes to, although a common table expression has its name',
    db.with('books', q => q.selectFrom('shelves').select('id')).deleteFrom('books'),
    'with "books" as (select "id" from "shelves" where "shelves"."tenant_id" = $1) delete from "books" where "books"."tenant_id" = $2',
    [7, 7],
  ],
  [
    'an update with from',
    db.updateTable('books').from('shelves').set({ title: 'x' }).whereRef('shelves.id', '=', 'books.shelf_id'),
    'update "books" set "title" = $1 from "shelves" where "books"."tenant_id" = $2 and "shelves"."tenant_id" = $3 and ("shelves"."id" = "books"."shelf_id")',
    ['x', 7, 7],
  ],
  [
    'an update of every row',
    db.updateTable('books as b').set({ title: 'x' }),
    'update "books" as "b" set "title" = $1 where "b"."tenant_id" = $2',
    ['x', 7],
  ],
  [
    'a delete with using',
    db.deleteFrom('books').using('shelves').whereRef('shelves.id', '=', 'books.shelf_id'),
    'delete from "books" using "shelves" where "books"."tenant_id" = $1 and "shelves"."tenant_id" = $2 and ("shelves"."id" = "books"."shelf_id")',
    [7, 7],
  ],
  [
    'an insert',
    db
      .insertInto('books')
      .values([{ id: 1, title: 'a' } as never, { id: 2, title: 'b' } as never])
      .returning('id'),
    'insert into "books" ("id", "title", "tenant_id") values ($1, $2, $3), ($4, $5, $6) returning "id"',
    [1, 'a', 7, 2, 'b', 7],
  ],
  [
    'an insert of calculated values',
    db.insertInto('books').values({ title: sql`upper('a')` } as never),
    `insert into "books" ("title", "tenant_id") values (upper('a'), $1)`,
    [7],
  ],
  [
    'an insert of default values',
    db.insertInto('books').defaultValues(),
    'insert into "books" ("tenant_id") values ($1)',
    [7],
  ],
  [
    'an insert that names the tenant itself',
    db.insertInto('books').values({ tenant_id: 7, title: 'a' } as never),
    'insert into "books" ("tenant_id", "title") values ($1, $2)',
    [7, 'a'],
  ],
  [
    'an insert from a union of queries',
    db
      .insertInto('books')
      .columns(['title'])
      .expression(q => q.selectFrom('shelves').select('label as title').union(q.selectFrom('books').select('title'))),
    'insert into "books" ("title", "tenant_id") select "label" as "title", cast($1 as bigint) as "tenant_id" from "shelves" where "shelves"."tenant_id" = $2 union select "title", cast($3 as bigint) as "tenant_id" from "books" where "books"."tenant_id" = $4',
    [7, 7, 7, 7],
  ],
  [
    'an insert that updates on conflict',
    db
      .insertInto('books')
      .values({ id: 1, title: 'a' } as never)
      .onConflict(oc => oc.columns(['id']).doUpdateSet(eb => ({ title: eb.ref('excluded.title') }))),
    'insert into "books" ("id", "title", "tenant_id") values ($1, $2, $3) on conflict ("tenant_id", "id") do update set "title" = "excluded"."title" where "books"."tenant_id" = $4',
    [1, 'a', 7, 7],
  ],
  [
    'a common table expression that inserts',
    db
      .with('made', q =>
        q
          .insertInto('books')
          .values({ title: 'a' } as never)
          .returning('id'),
      )
      .selectFrom('made')
      .select('id'),
    'with "made" as (insert into "books" ("title", "tenant_id") values ($1, $2) returning "id") select "id" from "made"',
    ['a', 7],
  ],
];

describe('the tenant plugin binds', () => {
  testCases(writes);

  test('whatever value it is given', () => {
    const slot = { slot: 0 };
    const query = compiling(slot)
      .insertInto('books')
      .values({ title: 'a' } as never);
    assert.deepEqual(query.compile().parameters, ['a', slot]);
  });
});
