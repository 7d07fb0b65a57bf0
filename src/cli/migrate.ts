import type { Command } from 'commander';
import { type Cli, withJson } from './cli.ts';
import { print } from './output.ts';

/** `migrate`. */
export const addMigrateCommand = (program: Command, cli: Cli): void => {
  withJson(program.command('migrate'))
    .description('Applies the pending migrations; safe while several processes do the same.')
    .action(async (options: { readonly json?: boolean }) => {
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
