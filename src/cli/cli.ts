import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Logger } from 'pino';
import type { Database } from '../db/open.ts';
import { type Config, readConfig } from '../server/config/config.ts';
import { openLog } from '../server/log.ts';
import { openConfigured } from '../server/open-configured.ts';
import { InputError, parseDuration } from '../tenancy/names.ts';
import type { CommandOutput } from './output.ts';

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

/** What a command works with; its arguments and its options follow. */
interface CommandContext {
  readonly environment: Terminal['environment'];
  readonly output: CommandOutput;
  /** Returns the absolute path of an argument. */
  readonly pathOf: (argument: string) => string;
}

/** What a command on the database works with. */
export interface DatabaseContext extends CommandContext {
  readonly database: Database;
  readonly config: Config;
}

type CommandWork<Context, Given extends unknown[]> = (context: Context, ...given: Given) => void | Promise<void>;

/** A command of the program, or a group of some, at a terminal. */
export class CliCommand extends Command {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal, name?: string) {
    super(name);
    this.#terminal = terminal;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.#terminal, name);
  }

  /** Adds a command that does something, with the option that all of them have. */
  task(name: string, description: string): CliCommand {
    return this.command(name).description(description).option('--json', 'print JSON instead of text');
  }

  /** Has the command do some work. */
  does<Given extends unknown[]>(work: CommandWork<CommandContext, Given>): this {
    const { environment, out, note, directory = '' } = this.#terminal;
    return this.action((...given) => {
      // The options are followed by the command itself.
      const { json = false }: { readonly json?: boolean } = given.at(-2);
      const output = { out, note: json ? () => {} : note, json };
      return work({ environment, output, pathOf: argument => resolve(directory, argument) }, ...(given as Given));
    });
  }

  /** Has the command work on the database, opened for it, with an up-to-date schema. */
  onDatabase<Given extends unknown[]>(work: CommandWork<DatabaseContext, Given>): this {
    return this.onAnyDatabase<Given>(async (context, ...given) => {
      await ensureSchema(context.database);
      await work(context, ...given);
    });
  }

  /** Does the same, whatever the schema. */
  onAnyDatabase<Given extends unknown[]>(work: CommandWork<DatabaseContext, Given>): this {
    const { open = openConfigured } = this.#terminal;
    return this.does<Given>(async (context, ...given) => {
      const config = readConfig(context.environment);
      const database = open(config, openLog('warn'));
      try {
        await work({ ...context, database, config }, ...given);
      } finally {
        await database.close();
      }
    });
  }
}

/** Returns the option of a token's lifetime, in seconds. */
export const lifetimeOption = (usual: string): Option =>
  new Option('--expires <duration>', 'lifetime of the token: a number and m, h, d, w or y')
    .default(parseDuration(usual), `"${usual}"`)
    .argParser(parseDuration);

/** Returns what collects the distinct values of an option that may be repeated. */
export const collect =
  <Value>(parse: (text: string) => Value) =>
  (text: string, previous: readonly Value[]): readonly Value[] => [...new Set([...previous, parse(text)])];
