import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { tenantPlugin } from '../../src/db/tenant-plugin.ts';

interface Tables {
  books: { id: number; shelf_id: number; title: string; tenant_id: number };
  shelves: { id: number; label: string; tenant_id: number };
  tenants: { id: number };
  tenant_hosts: { host: string };
}

const compiling = (tenant: unknown): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: database => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [tenantPlugin(tenant)],
  });

const db = compiling(7);

interface Compilable {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] };
}

const bound: [label: string, query: Compilable, want: string, parameters: unknown[]][] = [
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
    'select "title" from "shelves" left join lateral (select "title" from "books" where "books"."tenant_id" = $1 and ("shelf_id" = "shelves"."id") limit $2) as "first" on (true) where "shelves"."tenant_id" = $3',
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
    'with "some" as (select "id" from "books" where "books"."tenant_id" = $1) select "some"."id" from "some" inner join "some" as "other" on ("other"."id" = "some"."id")',
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
    'with recursive "tree" as (select "id" from "books" where "books"."tenant_id" = $1 union all select "books"."id" from "books" inner join "tree" on ("tree"."id" = "books"."shelf_id") where "books"."tenant_id" = $2) select "id" from "tree"',
    [7, 7],
  ],
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
      .expression(q => q.selectFrom('shelves').select('label').union(q.selectFrom('books').select('title'))),
    'insert into "books" ("title", "tenant_id") select "label", cast($1 as bigint) as "tenant_id" from "shelves" where "shelves"."tenant_id" = $2 union select "title", cast($3 as bigint) as "tenant_id" from "books" where "books"."tenant_id" = $4',
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

const refused: [label: string, query: () => Compilable, message: RegExp][] = [
  [
    'a table inside raw SQL',
    () => db.selectNoFrom(sql`exists (select from ${sql.table('books')})`.as('x')),
    /Raw SQL that may name/,
  ],
  [
    'a table that raw SQL is given',
    () => db.selectNoFrom(sql`count(${sql.table('books')})`.as('x')),
    /books is in a place/,
  ],
  ['raw SQL in place of a table', () => db.selectFrom(sql`books`.as('b')).selectAll(), /in place of a table/],
  [
    'raw SQL that joins',
    () => db.selectFrom(sql`unnest('{1}'::int[]) join books on true`.as('b')).selectAll(),
    /may name a table/,
  ],
  [
    'a right join',
    () => db.selectFrom('books').rightJoin('shelves', 'shelves.id', 'books.shelf_id').select('label'),
    /RightJoin/,
  ],
  [
    'a full join',
    () => db.selectFrom('books').fullJoin('shelves', 'shelves.id', 'books.shelf_id').select('label'),
    /FullJoin/,
  ],
  [
    'a merge',
    () => db.mergeInto('books').using('shelves', 'shelves.id', 'books.shelf_id').whenMatched().thenDelete(),
    /MergeQueryNode/,
  ],
  ['a table of all tenants', () => db.selectFrom('tenants').selectAll(), /not a table of one tenant/],
  [
    'a table of all tenants in a join',
    () =>
      db
        .selectFrom('books')
        .innerJoin('tenant_hosts', j => j.onTrue())
        .select('host'),
    /not a table of one/,
  ],
  [
    'a table of another schema',
    () => db.withSchema('other').selectFrom('books').selectAll(),
    /not a table of one tenant/,
  ],
  [
    'an insert for another tenant',
    () => db.insertInto('books').values({ tenant_id: 8 } as never),
    /names another tenant/,
  ],
  [
    'an insert for a calculated tenant',
    () => db.insertInto('books').values({ tenant_id: sql`8` } as never),
    /names another tenant/,
  ],
  [
    'an insert from raw SQL',
    () =>
      db
        .insertInto('books')
        .columns(['title'])
        .expression(sql`values ('a')` as never),
    /cannot be given/,
  ],
  [
    'an insert from a query with a tenant',
    () =>
      db
        .insertInto('books')
        .columns(['tenant_id'])
        .expression(q => q.selectFrom('books').select('tenant_id')),
    /leaves tenant_id out/,
  ],
  ['a change of the tenant', () => db.updateTable('books').set({ tenant_id: 8 }), /stays with its tenant/],
  [
    'a change of the tenant on conflict',
    () =>
      db
        .insertInto('books')
        .values({ id: 1 } as never)
        .onConflict(oc => oc.columns(['id']).doUpdateSet({ tenant_id: 8 })),
    /stays with/,
  ],
  ['a definition', () => db.schema.dropTable('books'), /DropTableNode/],
];

describe('the tenant plugin binds', () => {
  for (const [label, query, text, parameters] of bound)
    test(label, () => {
      const compiled = query.compile();
      assert.equal(compiled.sql, text);
      assert.deepEqual(compiled.parameters, parameters);
    });

  test('whatever value it is given', () => {
    const slot = { slot: 0 };
    const query = compiling(slot)
      .insertInto('books')
      .values({ title: 'a' } as never);
    assert.deepEqual(query.compile().parameters, ['a', slot]);
  });
});

describe('the tenant plugin refuses', () => {
  for (const [label, query, message] of refused) test(label, () => assert.throws(() => query().compile(), message));

  test('a statement of raw SQL', async () => {
    await assert.rejects(sql`select 1`.execute(db), /RawNode/);
  });
});
