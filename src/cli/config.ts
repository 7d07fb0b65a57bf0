import { readConfig } from '../server/config/config.ts';
import { showConfig } from '../server/config/print.ts';
import type { CliCommand } from './cli.ts';
import { printTable } from './output.ts';

/** Adds the command `config print`. */
export const addConfigCommands = (program: CliCommand): void => {
  const group = program.command('config').description('Shows the configuration.');

  group
    .task('print', 'Prints all variables with the values in use; secrets are hidden.')
    .does(({ environment, output }) => {
      // Reports all problems, also those that involve several variables.
      readConfig(environment);
      printTable(output, showConfig(environment), {
        variable: ({ name }) => name,
        value: ({ value }) => value ?? '-',
        source: ({ source }) => source,
      });
    });
};
