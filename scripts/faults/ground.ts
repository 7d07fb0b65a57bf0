import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../src/db/open.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { generateKeySet, type KeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { type Client, startApp } from '../../test/support/app.ts';
import { inMemory } from '../../test/support/database.ts';
import { type StartedPostgres, startPostgresServer } from '../../test/support/postgres-server.ts';
import { embeddedTemplate } from '../../test/support/template.ts';
import type { Deployment } from './deployment.ts';
import { FaultService } from './service.ts';
import { type FaultWriter, makeWriters } from './writers.ts';

/** Where a fault happens: a service, its database and those who write. */
export interface FaultGround {
  readonly deployment: Deployment;
  /** The folder of all that the service stores on disk. */
  readonly folder: string;
  /** Null: the database is embedded. */
  readonly postgres: StartedPostgres | null;
  readonly client: Client;
  /** What tokens are signed with. */
  readonly keySet: KeySet;
  readonly service: FaultService;
  readonly writers: readonly FaultWriter[];
  /** What is to be undone at the end, the latest first. */
  readonly undo: (() => unknown)[];
}

let server: Promise<StartedPostgres> | undefined;
let count = 0;

/** Returns the server of all grounds. A crash of it loses nothing, as one of the machine would. */
const postgresServer = (): Promise<StartedPostgres> => {
  server ??= startPostgresServer({ synchronous_commit: 'on' });
  return server;
};

/** Creates an empty database on a server. @returns its URL */
const createDatabase = async ({ url }: StartedPostgres): Promise<string> => {
  const own = new URL(url);
  own.pathname = `/faults_${++count}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database faults_${count}`);
  await client.end();
  return own.href;
};

/** Seconds for which the token has been valid, and stays so: longer than a clock goes wrong. */
const validity = { before: 7200, after: 86_400 };

/**
 * Makes a database with a tenant that has something to write about. The service does not run then.
 * @param migrate makes the schema
 */
export const makeGround = async (
  deployment: Deployment,
  migrate: (service: FaultService) => Promise<unknown> = async () => {},
): Promise<FaultGround> => {
  const folder = mkdtempSync(join(tmpdir(), 'staffing-faults-'));
  const postgres = deployment === 'embedded' ? null : await postgresServer();
  const url = postgres && (await createDatabase(postgres));
  const keys = generateKeySet('HS256');
  const [dataDir, filesFolder] = [join(folder, 'data'), join(folder, 'files')];
  const service = await FaultService.create(join(folder, 'log'), {
    ...{ BASE_DOMAIN: 'test', JWT_KEYS: keys, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'warn' },
    ...{ DATA_DIR: dataDir, FILE_DIR: filesFolder, RATE_LIMIT: '1000000', CONCURRENCY_LIMIT: '100' },
    ...(url && { DATABASE_URL: url }),
    ...(deployment === 'workers' && { WORKERS: '2' }),
  });
  await migrate(service);
  // The files of a migrated database, but where the fault is about migrations.
  const begun = url === null && !existsSync(dataDir) && { template: await embeddedTemplate() };
  const database = openDatabase({ ...inMemory, url, dataDir, ...begun });
  await database.migrate();
  const keySet = parseKeySet(keys, 'HS256');
  const app = await startApp(database, { keys: keySet, files: { folder: filesFolder } });
  const made = await app.newClient();
  const writers = await makeWriters(made);
  const clock = () => Date.now() - 1000 * validity.before;
  const tokens = createTokens({ database, keys: keySet, issuer: 'staffing', clock });
  const { id } = await createApiUser(database, made.tenant, { name: 'faults', readOnly: false });
  const { token } = await tokens.issueToken(made.tenant, id, validity.before + validity.after);
  await app.close();
  await database.close();
  const undo = [() => rmSync(folder, { recursive: true, force: true })];
  return { deployment, folder, postgres, client: { ...made, token }, keySet, service, writers, undo };
};
