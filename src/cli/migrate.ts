import type { Command } from 'commander';
import { type Cli, withJson } from './cli.ts';
import { print } from './output.ts';

/** Adds the command `migrate`. */
export const addMigrateCommand = (program: Command, cli: Cli): void => {
  withJson(program.command('migrate'))
    .description('Applies the pending migrations. Safe to run in several processes at once.')
    .action(
      cli.onAny(async ({ database, output }) => {
        const applied = await database.migrate();
        const lines = applied.length > 0 ? applied.map(name => `Applied ${name}`) : ['The database is up to date'];
        print(output, { applied }, lines);
      }),
    );
};
