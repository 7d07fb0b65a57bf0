import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import type { Database } from '../db/open.ts';
import { type Config, readConfig } from '../server/config/config.ts';
import { openLog } from '../server/log.ts';
import { openConfigured } from '../server/open-configured.ts';
import { InputError } from '../tenancy/names.ts';
import type { CommandOutput } from './output.ts';

/** What all commands share: output, configuration and database access. */
export interface Cli {
  readonly config: () => Config;
  readonly environment: Terminal['environment'];
  /** Returns the absolute path of an argument. */
  readonly pathOf: (argument: string) => string;
  readonly output: (options: { readonly json?: boolean | undefined }) => CommandOutput;
  /** Opens the database for the duration of `work` and makes sure that its schema is up to date. */
  withDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T>;
  /** Opens the database for the duration of `work`, whatever its schema. */
  withAnyDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T>;
}

/** The environment and the output streams of a command. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (line: string) => void;
  readonly note: (line: string) => void;
  /** The folder that relative paths of arguments refer to; default: the working directory. */
  readonly directory?: string;
  /** Opens the configured database; default: `openConfigured`. */
  readonly open?: (config: Config, log: Logger) => Database;
}

const migrateHint = 'npm run --silent staffing -- migrate';

/**
 * Migrates an embedded database.
 * For a Postgres server, which others may use, only reports pending migrations.
 */
const ensureSchema = async (database: Database): Promise<void> => {
  if (database.kind === 'embedded') {
    await database.migrate();
    return;
  }
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    throw new InputError(
      `The database has ${pending.length} pending migrations, which a start or this command applies: ${migrateHint}`,
    );
  }
};

/** Creates the commands' access to configuration, database and terminal. */
export const createCli = ({ environment, out, note, directory = '', open = openConfigured }: Terminal): Cli => {
  const config = () => readConfig(environment);
  const withAnyDatabase: Cli['withAnyDatabase'] = async work => {
    const settings = config();
    const database = open(settings, openLog('warn'));
    try {
      return await work(database, settings);
    } finally {
      await database.close();
    }
  };
  return {
    config,
    environment,
    pathOf: argument => resolve(directory, argument),
    output: ({ json = false }) => ({ out, note: json ? () => {} : note, json }),
    withAnyDatabase,
    withDatabase: work =>
      withAnyDatabase(async (database, settings) => {
        await ensureSchema(database);
        return work(database, settings);
      }),
  };
};

/** The option that every command has. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Adds the option that every command has. */
export const withJson = (command: Command): Command => command.option('--json', 'print JSON instead of text');

/** Collects the values of an option that may be repeated. */
export const collect = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];
