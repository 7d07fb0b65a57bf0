import type { Command } from 'commander';
import { pino } from 'pino';
import { examine } from '../server/doctor/doctor.ts';
import { openConfigured } from '../server/open-configured.ts';
import { type Cli, type JsonOption, withJson } from './cli.ts';
import { printTable } from './output.ts';

/** The service cannot run: the findings have been printed. */
class ChecksFailed extends Error {
  override readonly message = 'The service cannot run; see the findings marked "fail"';
}

/** Adds the command `doctor`. */
export const addDoctorCommand = (program: Command, cli: Cli): void => {
  withJson(program.command('doctor'))
    .description('Examines whether the service can run here, also beside a running server; exits with 1 if it cannot.')
    .action(async (options: JsonOption) => {
      const log = pino({ level: 'silent' });
      const findings = await examine(cli.environment, { open: openConfigured, log });
      printTable(cli.output(options), findings, {
        check: ({ check }) => check,
        result: ({ result }) => result,
        detail: ({ detail }) => detail,
      });
      if (findings.some(({ result }) => result === 'fail')) throw new ChecksFailed();
    });
};
