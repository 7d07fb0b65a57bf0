import type { Command } from 'commander';
import { showConfig } from '../server/config/print.ts';
import { type Cli, type JsonOption, withJson } from './cli.ts';
import { print, table } from './output.ts';

/** Adds the command `config print`. */
export const addConfigCommands = (program: Command, cli: Cli): void => {
  const group = program.command('config').description('Shows the configuration.');

  withJson(group.command('print'))
    .description('Prints all variables with the values in use; secrets are hidden.')
    .action((options: JsonOption) => {
      // Reports all problems, also those that involve several variables.
      cli.config();
      const shown = showConfig(cli.environment);
      const rows = shown.map(({ name, value, source }) => [name, value ?? '-', source]);
      print(
        cli.output(options),
        shown.map(entry => ({ ...entry })),
        table(['variable', 'value', 'source'], rows),
      );
    });
};
