import { choice, flag, integer, type Variable } from '../variable.ts';

/** How the server stops, and what it tells. */
export const operation = [
  {
    name: 'SHUTDOWN_DELAY',
    description: 'Seconds for which a stopping server goes on accepting requests, already reported as not ready.',
    default: '0',
    example: '5',
    ...integer(0, 300),
  },
  {
    name: 'SHUTDOWN_TIMEOUT',
    description: 'Seconds that a stopping server gives to requests under way.',
    default: '30',
    example: '60',
    ...integer(1, 600),
  },
  {
    name: 'CSV_DEFUSE',
    description:
      'Whether cells of CSV that a spreadsheet would take for a formula (`=`, `@`, tab, CR; `+` or `-` before no digit) begin with an apostrophe.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'LOG_LEVEL',
    description: 'The least severe level that is logged.',
    default: 'info',
    example: 'debug',
    ...choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
] as const satisfies readonly Variable[];
