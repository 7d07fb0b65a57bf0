import type { Command } from 'commander';
import { type Cli, type JsonOption, withJson } from './cli.ts';
import { print } from './output.ts';

/** Adds the command `migrate`. */
export const addMigrateCommand = (program: Command, cli: Cli): void => {
  withJson(program.command('migrate'))
    .description('Applies the pending migrations. Safe to run in several processes at once.')
    .action(async (options: JsonOption) => {
      await cli.withAnyDatabase(async database => {
        const applied = await database.migrate();
        print(
          cli.output(options),
          { applied },
          applied.length > 0 ? applied.map(name => `Applied ${name}`) : ['The database is up to date'],
        );
      });
    });
};
