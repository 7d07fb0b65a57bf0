import { examine } from '../server/doctor/doctor.ts';
import type { CliCommand } from './cli.ts';
import { printTable } from './output.ts';

/** The service cannot run: the findings have been printed. */
class ChecksFailed extends Error {
  override readonly message = 'The service cannot run; see the findings marked "fail"';
}

/** Adds the command `doctor`. */
export const addDoctorCommand = (program: CliCommand): void => {
  program
    .task(
      'doctor',
      'Examines whether the service can run here, also beside a running server; exits with 1 if it cannot.',
    )
    .does(async ({ environment, output }) => {
      const findings = await examine(environment);
      printTable(output, findings, {
        check: ({ check }) => check,
        result: ({ result }) => result,
        detail: ({ detail }) => detail,
      });
      if (findings.some(({ result }) => result === 'fail')) throw new ChecksFailed();
    });
};
