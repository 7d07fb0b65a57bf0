import type { TestContext } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../src/db/open.ts';
import { type DatabaseSchema, ownSchema } from '../../src/db/schema/files.ts';
import { inMemory, onEachNode, onServer, scratchUrl } from './database.ts';

/** A database on the Postgres server with an earlier schema and the tenants 1 and 2. */
export interface EarlierDatabase {
  /** A connection of the tables' owner, whom row security binds as it binds the owner of a service in production. */
  readonly client: pg.Client;
  /** Runs statements as the owner once for each tenant. */
  readonly forEachTenant: (run: (tenant: number) => Promise<unknown>) => Promise<void>;
  /** Returns the rows of a query, each an array of its columns. */
  readonly read: (query: string) => Promise<unknown[][]>;
  /** Runs the one migration before which the schema is. */
  readonly apply: () => Promise<unknown>;
  /** Migrates to the present schema, with its views and functions. */
  readonly finish: () => Promise<void>;
}

let count = 0;

/** Creates a database with the schema as it was before a migration. */
export const databaseBefore = async (context: TestContext, name: string): Promise<EarlierDatabase> => {
  const index = ownSchema.migrations.findIndex(migration => migration.name === name);
  const url = new URL(await scratchUrl());
  const owner = `staffing_owner_${process.pid}_${++count}`;
  await onEachNode(`create role ${owner} login createrole; alter database ${url.pathname.slice(1)} owner to ${owner}`);
  // Other tests may have made the role of requests already; otherwise the migration makes it.
  await onServer(`grant staffing_tenant to ${owner} with admin option`).catch(() => null);
  url.username = owner;
  url.password = '';
  const migrate = async (schema: DatabaseSchema): Promise<void> => {
    const database = openDatabase({ ...inMemory, url: url.href, schema });
    await database.migrate();
    await database.close();
  };
  await migrate({ ...ownSchema, migrations: ownSchema.migrations.slice(0, index), definitions: [] });
  const client = new pg.Client(url.href);
  await client.connect();
  context.after(() => client.end());
  await client.query(
    `insert into tenants (slug, name, time_zone, modules) values ('one', 'One', 'UTC', '[]'), ('two', 'Two', 'UTC', '[]')`,
  );
  return {
    client,
    forEachTenant: async run => {
      for (const tenant of [1, 2]) {
        await client.query(`set app.tenant_id = '${tenant}'`);
        await run(tenant);
      }
    },
    read: async query => (await client.query({ text: query, rowMode: 'array' })).rows,
    apply: () => client.query(ownSchema.migrations[index]?.text ?? ''),
    finish: () => migrate(ownSchema),
  };
};
