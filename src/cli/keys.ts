import type { Command } from 'commander';
import { generateKeySet } from '../tenancy/keys.ts';
import { type Cli, type JsonOption, withJson } from './cli.ts';

/** Adds the command `key create`. */
export const addKeyCommands = (program: Command, cli: Cli): void => {
  const group = program.command('key').description('Manages the keys that sign and verify tokens.');

  withJson(group.command('create'))
    .description(
      'Prints a JSON Web Key Set with one new key, for JWT_KEYS or the file of JWT_KEYS_FILE. To rotate keys, put the new key first and keep the old one until its tokens have expired.',
    )
    .action((options: JsonOption) => {
      cli.output(options).out(generateKeySet(cli.config().jwt.algorithm));
    });
};
