import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Logger } from 'pino';
import type { Database } from '../db/open.ts';
import { type Config, readConfig } from '../server/config/config.ts';
import { openLog } from '../server/log.ts';
import { openConfigured } from '../server/open-configured.ts';
import { InputError, parseDuration } from '../tenancy/names.ts';
import type { CommandOutput } from './output.ts';

/** What all commands share: output, configuration and database access. */
export interface Cli {
  readonly config: () => Config;
  readonly environment: Terminal['environment'];
  /** Returns the absolute path of an argument. */
  readonly pathOf: (argument: string) => string;
  readonly output: (options: { readonly json?: boolean | undefined }) => CommandOutput;
  /** Returns the action of a command on the database, opened for `work`, with an up-to-date schema. */
  readonly on: DatabaseAction;
  /** Does the same, whatever the schema. */
  readonly onAny: DatabaseAction;
}

/** What a command works with; its arguments and its options follow. */
export interface CommandContext {
  readonly database: Database;
  readonly config: Config;
  readonly output: CommandOutput;
}

type DatabaseAction = <Given extends unknown[]>(
  work: (context: CommandContext, ...given: Given) => Promise<void>,
) => (...given: Given) => Promise<void>;

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
  const output: Cli['output'] = ({ json = false }) => ({ out, note: json ? () => {} : note, json });
  const actingAfter =
    (prepare: (database: Database) => Promise<void>): DatabaseAction =>
    work =>
    async (...given) => {
      const settings = config();
      const database = open(settings, openLog('warn'));
      try {
        await prepare(database);
        // The options are followed by the command itself.
        const options = given.at(-2) as JsonOption;
        await work({ database, config: settings, output: output(options) }, ...given);
      } finally {
        await database.close();
      }
    };
  return {
    config,
    environment,
    pathOf: argument => resolve(directory, argument),
    output,
    on: actingAfter(ensureSchema),
    onAny: actingAfter(async () => {}),
  };
};

/** The option that every command has. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Adds the option that every command has. */
export const withJson = (command: Command): Command => command.option('--json', 'print JSON instead of text');

/** Returns the option of a token's lifetime, in seconds. */
export const lifetimeOption = (usual: string): Option =>
  new Option('--expires <duration>', 'lifetime of the token: a number and m, h, d, w or y')
    .default(parseDuration(usual), `"${usual}"`)
    .argParser(parseDuration);

/** Returns what collects the distinct values of an option that may be repeated. */
export const collect =
  <Value>(parse: (text: string) => Value) =>
  (text: string, previous: readonly Value[]): readonly Value[] => [...new Set([...previous, parse(text)])];
