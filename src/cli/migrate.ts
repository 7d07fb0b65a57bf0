import type { CliCommand } from './cli.ts';
import { print } from './output.ts';

/** Adds the command `migrate`. */
export const addMigrateCommand = (program: CliCommand): void => {
  program
    .task('migrate', 'Applies the pending migrations. Safe to run in several processes at once.')
    .onAnyDatabase(async ({ database, output }) => {
      const applied = await database.migrate();
      const lines = applied.length > 0 ? applied.map(name => `Applied ${name}`) : ['The database is up to date'];
      print(output, { applied }, lines);
    });
};
