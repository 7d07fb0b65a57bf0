import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { columns, views } from '../../../generated/tables.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import { forEachDatabase } from '../../support/database.ts';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly collation: string | null;
}

const catalogue = sql<Column>`
  select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable, o.collname as collation
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_collation o on o.oid = a.attcollation
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'v')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Foreign keys without an index that begins with their columns. */
const unindexed = sql<{ key: string }>`
  select c.conrelid::regclass || ' ' || c.conname as key from pg_constraint c
  where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and not exists (
    select from pg_index i
    where i.indrelid = c.conrelid and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
  )`;

/** The tables of the service itself, of which the spec does not tell; beside them those that begin with `dynamic_`. */
const own = [
  'administration_log',
  'administration_tokens',
  'api_user_usage',
  'refused_requests',
  'id_blocks',
  'journal',
  'journal_heads',
  'schema_definitions',
  'references_set_aside',
  'schema_migrations',
  'tenants',
  'tenant_hosts',
  'api_users',
  'tokens',
  'webhook_secrets',
];

/** The columns of JSON documents, which have no order, also where a view returns them as strings. */
const documents = new Set(
  Object.values<Resource>(resources).flatMap(({ source, fields }) =>
    fields.filter(({ type }) => type === 'json').map(({ name }) => `${source}.${name}`),
  ),
);

const columnsOf: Readonly<Record<string, object>> = columns;
/** The views of resources with layers. */
const layers = new Set(
  Object.values<Resource>(resources).flatMap(({ layers = [] }) =>
    layers.filter(layer => views.some(view => view === layer)),
  ),
);

forEachDatabase((_, getDatabase) => {
  const read = async () =>
    (await catalogue.execute(getDatabase().system)).rows.filter(
      ({ table }) => !own.includes(table) && !table.startsWith('dynamic_'),
    );

  test('the migrated tables and views have the columns that the spec tells, of the same types', async () => {
    const found: Record<string, Record<string, string>> = {};
    for (const { table, column, type } of await read()) {
      // A view that assembles JSON need not parse it.
      const isJson = type === 'json' && views.some(view => view === table);
      // A layer can have columns for the layers above it that are no fields.
      if (layers.has(table) && !Object.hasOwn(columnsOf[table] ?? {}, column)) continue;
      found[table] = { ...found[table], [column]: isJson ? 'jsonb' : type };
    }
    const told = Object.entries(columns).map(([table, list]) => [
      table,
      Object.fromEntries(Object.entries(list).map(([column, { type }]) => [column, type])),
    ]);
    assert.deepEqual(found, Object.fromEntries(told));
  });

  test('a column of a table takes null if, and only if, the spec says so', async () => {
    const told = columns as Record<string, Record<string, { nullable: boolean }>>;
    const wrong = (await read())
      .filter(({ table }) => !views.some(view => view === table))
      .filter(({ table, column, nullable }) => told[table]?.[column]?.nullable !== nullable)
      .map(({ table, column }) => `${table}.${column}`);
    assert.deepEqual(wrong, []);
  });

  test('texts sort the same on every database', async () => {
    const { rows } = await catalogue.execute(getDatabase().system);
    const wrong = rows.filter(
      ({ table, column, type, collation }) =>
        (!own.includes(table) || table.startsWith('journal')) &&
        type === 'text' &&
        collation !== 'und-x-icu' &&
        !documents.has(`${table}.${column}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('every foreign key has an index', async () => {
    const { rows } = await unindexed.execute(getDatabase().system);
    assert.deepEqual(rows, []);
  });
});
