import { after, before } from 'node:test';
import type { Database } from '../../src/db/open.ts';
import { type App, type AppOptions, type Client, startApp } from './app.ts';
import { forAnyDatabase, forEachDatabase } from './database.ts';
import type { DatabaseName } from './databases.ts';

/** The client and the app that the tests of a suite use. */
export interface Setting {
  /** A new client for each suite. */
  readonly client: Client;
  readonly app: App;
}

/** The properties of a tenant. */
type Wanted = Parameters<App['newClient']>[0];

/** Declares the tests of a suite with an app and a client: proxies that can be used as soon as a hook or a test runs. */
type ForApps = (
  declare: (client: Client, app: App, name: DatabaseName) => void,
  /** Starts a separate app for these tests; undefined: the app is shared by all tests of the process. */
  options?: AppOptions,
  /** The properties of the client's tenant. */
  wanted?: Wanted,
) => void;

/** Declares the tests once for each database: for tests on which the databases could differ. */
export const forEachApp: ForApps = (...suite) => declareWith(forEachDatabase, ...suite);

/** Declares the tests on one database, or on each with TEST_DATABASES=both: for all other tests. */
export const forAnyApp: ForApps = (...suite) => declareWith(forAnyDatabase, ...suite);

const declareWith = (forDatabases: typeof forEachDatabase, ...[declare, options, wanted]: Parameters<ForApps>): void =>
  forDatabases((name, getDatabase) => {
    const { client, app } = useApp(getDatabase, options, wanted);
    declare(client, app, name);
  });

/** Returns a client and an app for one suite, on one database. */
export const useApp = (
  getDatabase: () => Database | Promise<Database>,
  options?: AppOptions,
  wanted?: Wanted,
): Setting => {
  let app: App;
  let client: Client;
  before(async () => {
    const database = await getDatabase();
    app = await (options ? startApp(database, options) : sharedApp(database));
    client = await app.newClient(wanted);
  });
  if (options) after(() => app?.close());
  return { client: standIn(() => client), app: standIn(() => app) };
};

const shared = new Map<Database, Promise<App>>();

const sharedApp = (database: Database): Promise<App> => {
  const app = shared.get(database) ?? startApp(database);
  shared.set(database, app);
  return app;
};

after(async () => {
  for (const app of await Promise.all(shared.values())) await app.close();
});

/** Returns a proxy for an object that is created later. */
const standIn = <T extends object>(get: () => T): T =>
  new Proxy({} as T, {
    get: (_, property) => Reflect.get(get(), property),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_, property) => Reflect.getOwnPropertyDescriptor(get(), property),
  });
