import { readConfig } from '../server/config/config.ts';
import { generateKeySet } from '../tenancy/keys.ts';
import type { CliCommand } from './cli.ts';

/** Adds the command `key create`. */
export const addKeyCommands = (program: CliCommand): void => {
  const group = program.command('key').description('Manages the keys that sign and verify tokens.');

  group
    .task(
      'create',
      'Prints a JSON Web Key Set with one new key, for JWT_KEYS or the file of JWT_KEYS_FILE. To rotate keys, put the new key first and keep the old one until its tokens have expired.',
    )
    .does(({ environment, output }) => output.out(generateKeySet(readConfig(environment).jwt.algorithm)));
};
