import type { CommandLine, CommandResult } from '../administration/commands.ts';
import type { Database } from '../db/open.ts';
import { run } from './run.ts';

/** Runs a command in the process of a server, on its database. */
export const runOn = async ({ args, directory }: CommandLine, database: Database): Promise<CommandResult> => {
  const lines: CommandResult['lines'][number][] = [];
  const status = await run(args, {
    environment: process.env,
    directory,
    out: line => lines.push({ stream: 'out', line }),
    note: line => lines.push({ stream: 'note', line }),
    // The server has migrated it, and goes on using it.
    open: () => ({ ...database, migrate: async () => [], close: async () => {} }),
  });
  return { status, lines };
};
