import type { Command } from 'commander';
import { showConfig } from '../server/config/print.ts';
import { type Cli, type JsonOption, withJson } from './cli.ts';
import { printTable } from './output.ts';

/** Adds the command `config print`. */
export const addConfigCommands = (program: Command, cli: Cli): void => {
  const group = program.command('config').description('Shows the configuration.');

  withJson(group.command('print'))
    .description('Prints all variables with the values in use; secrets are hidden.')
    .action((options: JsonOption) => {
      // Reports all problems, also those that involve several variables.
      cli.config();
      printTable(cli.output(options), showConfig(cli.environment), {
        variable: ({ name }) => name,
        value: ({ value }) => value ?? '-',
        source: ({ source }) => source,
      });
    });
};
