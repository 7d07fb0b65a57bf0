import { after, before } from 'node:test';
import type { Database } from '../../src/db/open.ts';
import { type App, type AppOptions, type Client, startApp } from './app.ts';
import { type DatabaseName, forEachDatabase } from './database.ts';

/** The client and the app that the tests of a suite use. */
export interface Setting {
  /** A new client for each suite. */
  readonly client: Client;
  readonly app: App;
}

/** The properties of a tenant. */
type Wanted = Parameters<App['newClient']>[0];

/**
 * Declares the tests once for each database, with an app and a client: proxies that can be used as soon as a hook or a test runs.
 * @param options starts a separate app for these tests; undefined: the app is shared by all tests of the process.
 * @param wanted the properties of the client's tenant
 */
export const forEachApp = (
  declare: (client: Client, app: App, name: DatabaseName) => void,
  options?: AppOptions,
  wanted?: Wanted,
): void =>
  forEachDatabase((name, getDatabase) => {
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
