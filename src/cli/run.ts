import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { runInServer } from '../administration/commands.ts';
import { DatabaseInUseError } from '../db/embedded/embedded.ts';
import { readConfig } from '../server/config/config.ts';
import { describeFailure } from '../server/describe-failure.ts';
import { addAdministrationCommands } from './administration.ts';
import { addApiUserCommands } from './api-users.ts';
import { addBackupCommands } from './backups.ts';
import { CliCommand, type Terminal } from './cli.ts';
import { addConfigCommands } from './config.ts';
import { addConflictCommands } from './conflicts.ts';
import { addDemoCommand } from './demo.ts';
import { addDistributeCommand } from './distribute.ts';
import { addDoctorCommand } from './doctor.ts';
import { addKeyCommands } from './keys.ts';
import { addMigrateCommand } from './migrate.ts';
import { addTenantCommands } from './tenants.ts';
import { addTokenCommands } from './tokens.ts';
import { addWebhookCommands } from './webhooks.ts';

/** @param isJson whether errors of the command line are reported as JSON, by the caller */
const createProgram = (terminal: Terminal, isJson: boolean): CliCommand => {
  const write = (line: (text: string) => void) => (text: string) => line(text.replace(/\n$/, ''));
  const writeErr = isJson ? () => {} : write(terminal.note);
  const program = new CliCommand(terminal, 'staffing')
    .description('Administers an installation of the staffing API. Uses the same environment variables as the server.')
    .exitOverride()
    .showHelpAfterError('(add --help for usage)')
    .configureOutput({ writeOut: write(terminal.out), writeErr });
  for (const add of [
    addTenantCommands,
    addApiUserCommands,
    addTokenCommands,
    addAdministrationCommands,
    addKeyCommands,
    addWebhookCommands,
    addMigrateCommand,
    addDistributeCommand,
    addBackupCommands,
    addConflictCommands,
    addConfigCommands,
    addDoctorCommand,
    addDemoCommand,
  ]) {
    add(program);
  }
  return program;
};

/**
 * Runs a command and returns its exit status: 0, or 1 after printing a message.
 * A command that needs the embedded database of a running server runs in that server.
 */
export const run = async (args: readonly string[], terminal: Terminal): Promise<0 | 1> => {
  try {
    return await runHere(args, terminal);
  } catch (error) {
    const isJson = args.includes('--json');
    if (error instanceof CommanderError && (error.exitCode === 0 || !isJson)) return error.exitCode === 0 ? 0 : 1;
    const message = error instanceof CommanderError ? error.message.replace(/^error: /, '') : describeFailure(error);
    terminal.note(isJson ? JSON.stringify({ error: message }) : `staffing: ${message}`);
    return 1;
  }
};

const runHere = async (args: readonly string[], terminal: Terminal): Promise<0 | 1> => {
  try {
    await createProgram(terminal, args.includes('--json')).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // With a database of its own, it runs in that server already.
    if (!(error instanceof DatabaseInUseError) || terminal.open) throw error;
    const { dataDir } = readConfig(terminal.environment);
    const result = await runInServer(dataDir, { args, directory: resolve(terminal.directory ?? '') });
    if (!result) throw error;
    for (const { stream, line } of result.lines) terminal[stream](line);
    return result.status;
  }
};
