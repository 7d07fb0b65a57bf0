import type { Command } from 'commander';
import { type Logger, pino } from 'pino';
import type { Database } from '../db/open.ts';
import { type Config, readConfig } from '../server/config/config.ts';
import { openConfigured } from '../server/open-configured.ts';
import { InputError } from '../tenancy/names.ts';
import type { Output } from './output.ts';

/** What the commands share: where they write and how they come to the configuration and the database. */
export interface Cli {
  readonly config: () => Config;
  readonly output: (options: { readonly json?: boolean | undefined }) => Output;
  /** Opens the database for the duration of `work`; its schema is up to date. */
  withDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T>;
  /** Opens the database, whatever its schema. */
  withAnyDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T>;
}

/** Where a run of the command line takes its configuration from and writes to. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (line: string) => void;
  readonly note: (line: string) => void;
  /** Opens the database that the configuration names, for one command. */
  readonly open?: (config: Config, log: Logger) => Database;
}

const migrateHint = 'npm run --silent staffing -- migrate';

/** An embedded database is brought up to date on the way; a shared one only by whoever asks for it. */
const ensureSchema = async (database: Database): Promise<void> => {
  if (database.kind === 'embedded') {
    await database.migrate();
    return;
  }
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    throw new InputError(
      `The database lacks ${pending.length} migrations (${pending.join(', ')}). Apply them: ${migrateHint}`,
    );
  }
};

/** The command line's access to configuration, database and terminal. */
export const createCli = ({ environment, out, note, open = openConfigured }: Terminal): Cli => {
  const config = () => readConfig(environment);
  const withAnyDatabase: Cli['withAnyDatabase'] = async work => {
    const settings = config();
    const database = open(settings, pino({ level: 'warn' }, pino.destination(2)));
    try {
      return await work(database, settings);
    } finally {
      await database.close();
    }
  };
  return {
    config,
    output: ({ json = false }) => ({ out, note: json ? () => {} : note, json }),
    withAnyDatabase,
    withDatabase: work =>
      withAnyDatabase(async (database, settings) => {
        await ensureSchema(database);
        return work(database, settings);
      }),
  };
};

/** Adds the option that every command has. */
export const withJson = (command: Command): Command => command.option('--json', 'print JSON, for programs');
