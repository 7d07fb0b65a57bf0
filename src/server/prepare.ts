import { setTimeout as wait } from 'node:timers/promises';
import { Temporal } from 'temporal-polyfill';
import { DatabaseError } from '../db/errors.ts';
import type { Database } from '../db/open.ts';
import { SchemaError } from '../db/schema/plan.ts';
import type { Files } from '../files/files.ts';
import { InputError } from '../tenancy/names.ts';
import { defaultLifetime, type Tokens } from '../tenancy/tokens.ts';
import type { Config } from './config/config.ts';
import { expectedSchema } from './expected-schema.ts';

const longestPause = 5_000;

/**
 * Repeats `work` until the database is available, with growing pauses (milliseconds).
 * @param unavailable called with each failure
 * @throws Error of the signal once it is aborted
 */
export const untilAvailable = async <T>(
  work: () => Promise<T>,
  unavailable: (cause: unknown) => void,
  signal: AbortSignal,
  pause = 500,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError && error.kind === 'unavailable')) throw error;
    unavailable(error.cause);
    await wait(pause, undefined, { signal });
    return untilAvailable(work, unavailable, signal, Math.min(pause * 2, longestPause));
  }
};

/**
 * Applies pending migrations and compares the database with the resources.
 * @param signal ends the migration between two files
 * @returns the names of the applied migrations
 * @throws InputError if migrations are pending and `migrate` is false; SchemaError if the database differs; Error of the
 * signal
 */
export const prepareSchema = async (
  database: Database,
  migrate: boolean,
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const applied = migrate ? await database.migrate(signal) : await requireMigrated(database);
  const differences = await database.differences(expectedSchema);
  if (differences.length === 0) return applied;
  throw new SchemaError(
    `The database does not match the resources of this release. Add a migration, or correct the view or the spec:\n${differences.map(line => `- ${line}`).join('\n')}`,
  );
};

const requireMigrated = async (database: Database): Promise<readonly string[]> => {
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return [];
  throw new InputError(
    `Migrations are pending (${pending.join(', ')}) and DATABASE_MIGRATE is false. Apply them: npm run --silent staffing -- migrate`,
  );
};

/** Whether the database has a tenant. */
export const hasTenants = async ({ system }: Pick<Database, 'system'>): Promise<boolean> =>
  (await system.selectFrom('tenants').select('id').limit(1).executeTakeFirst()) !== undefined;

/**
 * Creates the demo tenant and its token in a new embedded database, not in production; or null.
 * @throws Error of the signal if it is aborted before the data is complete: then none is kept
 */
export const prepareDemo = async (
  database: Database,
  tokens: Tokens,
  files: Files,
  { baseDomain, production }: Config,
  signal: AbortSignal,
): Promise<{ readonly token: string; readonly today: string } | null> => {
  if (database.kind !== 'embedded' || production) return null;
  const { awaitsDemo, fillDemo } = await import('../demo/fill.ts');
  if (!(await awaitsDemo(database))) return null;
  const demo = await fillDemo(database, { size: 'small', baseDomain, sandbox: true, signal });
  const { fillDemoFiles } = await import('../demo/files.ts');
  await fillDemoFiles(database, files, demo);
  const { tenant, apiUser } = demo;
  const { token } = await tokens.issueToken(tenant, apiUser.id, defaultLifetime);
  return { token, today: Temporal.Now.plainDateISO(tenant.timeZone).toString() };
};
