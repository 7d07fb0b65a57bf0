import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Compilable, compiling } from './compiling.ts';

const db = compiling(7);

const refused: [label: string, query: () => Compilable, message: RegExp][] = [
  [
    'a table inside raw SQL',
    () => db.selectNoFrom(sql`exists (select from ${sql.table('books')})`.as('x')),
    /Raw SQL that may name/,
  ],
  [
    'a table that raw SQL is given',
    () => db.selectNoFrom(sql`count(${sql.table('books')})`.as('x')),
    /books is in a position/,
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
    'a full join of a table',
    () => db.selectFrom('books').fullJoin('shelves', 'shelves.id', 'books.shelf_id').select('label'),
    /FullJoin/,
  ],
  [
    'a full join of a common table expression with a table',
    () =>
      db
        .with('some', q => q.selectFrom('shelves').select('id'))
        .selectFrom('books')
        .fullJoin('some', 'some.id', 'books.shelf_id')
        .select('some.id'),
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
    /in place of rows cannot be bound/,
  ],
  [
    'an insert from a query with a tenant',
    () =>
      db
        .insertInto('books')
        .columns(['tenant_id'])
        .expression(q => q.selectFrom('books').select('tenant_id')),
    /must name its columns/,
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

describe('the tenant plugin refuses', () => {
  for (const [label, query, message] of refused) test(label, () => assert.throws(() => query().compile(), message));

  test('a statement of raw SQL', async () => {
    await assert.rejects(sql`select 1`.execute(db), /RawNode/);
  });
});
