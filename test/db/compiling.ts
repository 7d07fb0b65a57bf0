import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { tenantPlugin } from '../../src/db/binding/tenant-plugin.ts';

interface Tables {
  books: { id: number; shelf_id: number; title: string; tenant_id: number };
  shelves: { id: number; label: string; tenant_id: number };
  tenants: { id: number };
  tenant_hosts: { host: string };
}

/** A Kysely that only compiles, for that tenant. */
export const compiling = (tenant: unknown): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: database => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [tenantPlugin(tenant)],
  });

export interface Compilable {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] };
}

/** A query for tenant 7, the SQL that it becomes and its parameters. */
export type Case = readonly [label: string, query: Compilable, want: string, parameters: readonly unknown[]];

export const testCases = (cases: readonly Case[]): void => {
  for (const [label, query, text, parameters] of cases)
    test(label, () => {
      const compiled = query.compile();
      assert.equal(compiled.sql, text);
      assert.deepEqual(compiled.parameters, parameters);
    });
};
