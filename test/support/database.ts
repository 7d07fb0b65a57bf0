import { after, before, describe } from 'node:test';
import pg from 'pg';
import type { Tenant } from '../../src/core/principal.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { type DatabaseSchema, ownSchema } from '../../src/db/schema/files.ts';
import { type Cluster, citusPrograms, closeOnCluster, copyOnCluster, createOnCluster, startCluster } from './citus.ts';
import { chosenDatabases, type DatabaseName, databaseWords } from './databases.ts';
import { inMemory } from './in-memory.ts';
import { startPostgres } from './postgres-server.ts';
import { violations, watchStatements } from './statement-watch.ts';
import { embeddedTemplate } from './template.ts';

const opened = {
  embedded: new Map<DatabaseSchema, Promise<Database>>(),
  postgres: new Map<DatabaseSchema, Promise<Database>>(),
};
const scratch: string[] = [];
/** Declares the tests of a suite once for each of some databases. */
type ForDatabases = (
  declare: (name: DatabaseName, getDatabase: () => Database) => void,
  /** Replaces the service's own schema; the databases are shared by all tests that pass the same object. */
  schema?: DatabaseSchema,
) => void;

/**
 * Declares the tests once for each database: the embedded one, in memory, and a Postgres server (TEST_DATABASE_URL, otherwise one
 * started for this process). Both are migrated and shared by all tests of the process, so each test creates its own tenants.
 *
 * It is for tests on which the databases could differ: the SQL of filters, orders and migrations, row security, locks, concurrency,
 * faults and the connection itself. Others use `forAnyDatabase`.
 */
export const forEachDatabase: ForDatabases = (...suite) => declareOn(chosenDatabases.each, ...suite);

/**
 * Declares the tests on one database, for what is above the database: a Postgres server, which is the faster one. With
 * TEST_DATABASES=both, as forEachDatabase.
 */
export const forAnyDatabase: ForDatabases = (...suite) => declareOn(chosenDatabases.any, ...suite);

const anyName = chosenDatabases.any.at(-1) ?? 'postgres';

/** Returns the shared database, migrated, for tests that run on one only: a Postgres server unless TEST_DATABASES=embedded. */
export const anyDatabase = (): Promise<Database> => testDatabase(anyName);

const declareOn = (names: readonly DatabaseName[], ...[declare, schema]: Parameters<ForDatabases>): void => {
  for (const name of names) {
    describe(`on ${databaseWords[name]}`, () => {
      let database: Database;
      before(async () => {
        database = await testDatabase(name, schema);
      });
      declare(name, () => database);
    });
  }
};

/** Returns the shared database of that kind, migrated. */
export const testDatabase = (name: DatabaseName, schema: DatabaseSchema = ownSchema): Promise<Database> => {
  const known = opened[name].get(schema) ?? open(name, schema);
  opened[name].set(schema, known);
  return known;
};

const open = async (name: DatabaseName, schema: DatabaseSchema): Promise<Database> => {
  if (schema === ownSchema) return ownDatabase(name);
  const place = name === 'embedded' ? { template: await embeddedTemplate() } : { url: await scratchUrl() };
  return migrate(openDatabase({ ...inMemory, ...place, schema }));
};

const migrate = async (database: Database): Promise<Database> => {
  await database.migrate();
  return database;
};

/** Opens a migrated database for tests that share none. The caller closes it. @param name default: as anyDatabase */
export const ownDatabase = async (name = anyName): Promise<Database> =>
  name === 'postgres' ? openDatabase({ ...inMemory, url: await migratedUrl() }) : openEmbedded();

/** Opens an embedded database that is migrated, in a folder or in memory. The caller closes it. */
export const openEmbedded = async (dataDir: string = inMemory.dataDir): Promise<Database> =>
  openDatabase({ ...inMemory, dataDir, template: await embeddedTemplate() });

/** Returns the service's own schema with one more migration and, optionally, one more file of views and functions. */
export const withMigration = (name: string, text: string, definitions = ''): DatabaseSchema => ({
  ...ownSchema,
  migrations: [...ownSchema.migrations, { name, text }],
  definitions: [...ownSchema.definitions, ...(definitions ? [{ name: `test/${name}.sql`, text: definitions }] : [])],
});

export { inMemory };

let server: Promise<string> | undefined;

let cluster: Promise<Cluster> | undefined;

/** Returns the cluster of this process, of a coordinator and two workers. */
export const testCluster = (): Promise<Cluster> => {
  cluster ??= startCluster();
  return cluster;
};

/** Returns the URL of the Postgres server's default database, with a user that can create databases. */
export const serverUrl = (): Promise<string> => {
  if (citusPrograms) return testCluster().then(({ coordinator }) => coordinator);
  server ??= process.env.TEST_DATABASE_URL ? Promise.resolve(process.env.TEST_DATABASE_URL) : startPostgres();
  return server;
};

let count = 0;

/** Creates an empty database on the Postgres server and returns its URL. */
export const scratchUrl = (): Promise<string> => createOnServer('template0');

/** Creates a migrated database on the Postgres server, a copy of one that is migrated once, and returns its URL. */
export const migratedUrl = async (): Promise<string> => {
  template ??= makeTemplate();
  const url = await createOnServer(await template);
  // A copy has no privileges of its original as a whole.
  await onServer(`revoke temporary on database ${nameOf(url)} from public`);
  return url;
};

/** The name of a migrated database that nobody connects to. */
let template: Promise<string> | undefined;

const makeTemplate = async (): Promise<string> => {
  const url = await scratchUrl();
  const database = await migrate(openDatabase({ ...inMemory, url }));
  await database.close();
  if (citusPrograms) {
    await distribute(url);
    await closeOnCluster(await testCluster(), nameOf(url));
  }
  return nameOf(url);
};

const distribute = async (url: string): Promise<void> => {
  const database = openDatabase({ ...inMemory, url });
  await database.distribute({ dryRun: false, onStep: () => {} }).finally(() => database.close());
};

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

const createOnServer = async (template: string): Promise<string> => {
  const name = `staffing_test_${process.pid}_${++count}`;
  if (citusPrograms) {
    const cluster = await testCluster();
    if (template === 'template0') return createOnCluster(cluster, name);
    const url = await copyOnCluster(cluster, name, template);
    // Makes the settings of the database.
    await distribute(url);
    return url;
  }
  await onServer(`create database ${name} template ${template}`);
  scratch.push(name);
  const url = new URL(await serverUrl());
  url.pathname = `/${name}`;
  return url.href;
};

/** Runs a statement on the Postgres server, as the user of `url` or otherwise of `serverUrl`. */
export const onServer = async (text: string, url?: string): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url ?? (await serverUrl()) });
  await client.connect();
  return client.query(text).finally(() => client.end());
};

/**
 * Runs a statement on the Postgres server, on a cluster on each of its nodes, and returns the rows of all.
 * @param database the one of `serverUrl` unless given
 */
export const onEachNode = async (text: string, database?: string): Promise<pg.QueryResult['rows']> => {
  const urls = citusPrograms ? (await testCluster()).nodes : [await serverUrl()];
  const results = await Promise.all(
    urls.map(node => {
      const url = new URL(node);
      if (database !== undefined) url.pathname = database;
      return onServer(text, url.href);
    }),
  );
  return results.flatMap(({ rows }) => rows);
};

/** Returns the URL of a database with the user of `serverUrl`, whom row security does not bind. */
export const unboundUrl = async (url: string): Promise<string> => {
  const [unbound, { username, password }] = [new URL(url), new URL(await serverUrl())];
  Object.assign(unbound, { username, password });
  return unbound.href;
};

/** Creates a tenant with a unique slug and every module. */
export const newTenant = async (database: Database, slug = `t${process.pid}-${++count}`): Promise<Tenant> => {
  const modules = [
    'availability',
    'automations',
    'billing',
    'checkins',
    'contracts',
    'payroll',
    'reports',
    'rules',
  ] as const;
  const { id } = await database.system
    .insertInto('tenants')
    .values({ slug, name: slug, time_zone: 'Europe/Berlin', modules: JSON.stringify(modules) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return {
    id,
    slug,
    name: slug,
    timeZone: 'Europe/Berlin',
    modules: new Set(modules),
    rateLimit: null,
    sandbox: false,
    clockAhead: 0,
  };
};

/** Closes and drops the test databases: called automatically after tests, and by the caller in other programs. */
const closeTestDatabases = async (): Promise<void> => {
  const databases = await Promise.all([...opened.embedded.values(), ...opened.postgres.values()]);
  opened.embedded.clear();
  opened.postgres.clear();
  await Promise.all(databases.map(database => database.close()));
  // A server started for this process is removed entirely.
  if (process.env.TEST_DATABASE_URL)
    for (const name of scratch) await onServer(`drop database if exists ${name} with (force)`);
  scratch.length = 0;
};

watchStatements();

after(async () => {
  await closeTestDatabases();
  const found = [...violations].map(([text, reason]) => `${reason}\n    ${text.trim()}`);
  if (found.length > 0) throw new Error(`Statements that break the rules:\n  ${found.join('\n  ')}`);
});
