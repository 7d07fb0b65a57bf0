import { choice, flag, integer, type Variable } from '../variable.ts';

/** The variables of shutdown, CSV and logging. */
export const operation = [
  {
    name: 'SHUTDOWN_DELAY',
    description: 'Seconds for which a stopping server still accepts requests while it reports that it is not ready.',
    default: '0',
    example: '5',
    ...integer(0, 300),
  },
  {
    name: 'SHUTDOWN_TIMEOUT',
    description: 'Seconds that a stopping server waits for in-flight requests.',
    default: '30',
    example: '60',
    ...integer(1, 600),
  },
  {
    name: 'CSV_DEFUSE',
    description:
      'Whether CSV cells that a spreadsheet would interpret as a formula (`=`, `@`, tab, CR; `+` or `-` before anything but a number) are prefixed with an apostrophe.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'LOG_LEVEL',
    description: 'Minimum severity of log messages; SIGUSR2 switches a running server to `debug` and back.',
    default: 'info',
    example: 'debug',
    ...choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
] as const satisfies readonly Variable[];
