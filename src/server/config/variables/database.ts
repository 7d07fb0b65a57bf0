import { flag, integer, postgres, text, type Variable } from '../variable.ts';

/** Where the data are. */
export const database = [
  {
    name: 'DATABASE_URL',
    description: 'The Postgres database; without it an embedded one under DATA_DIR, for one process.',
    default: null,
    example: 'postgres://staffing:secret@db.example:5432/staffing',
    secret: true,
    ...postgres,
  },
  {
    name: 'MIGRATION_DATABASE_URL',
    description: 'Address for migrations: direct, where DATABASE_URL leads through a pooler; or another login.',
    default: null,
    example: 'postgres://owner:secret@db.example:5432/staffing',
    secret: true,
    ...postgres,
  },
  {
    name: 'DATABASE_MIGRATE',
    description: 'Whether the server applies pending migrations when it starts; `staffing migrate` always does.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'DATABASE_POOL',
    description: 'Connections to Postgres at most, per process.',
    default: '10',
    example: '20',
    ...integer(1, 1000),
  },
  {
    name: 'DATABASE_PREPARED',
    description: 'Named prepared statements; `false` behind a pooler that does not know them (PgBouncer before 1.21).',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'STATEMENT_TIMEOUT',
    description: 'Milliseconds that one database statement may take; longer is answered with 503.',
    default: '5000',
    example: '10000',
    ...integer(100, 600_000),
  },
  {
    name: 'ALLOW_EMBEDDED',
    description: 'Lets the embedded database run with NODE_ENV=production.',
    default: 'false',
    example: 'true',
    ...flag,
  },
  {
    name: 'DATA_DIR',
    description: 'Folder of what the server itself keeps: embedded database, development certificate, token keys.',
    default: 'data',
    example: '/var/lib/staffing',
    schema: text(),
    expected: 'the path of a folder',
  },
] as const satisfies readonly Variable[];
