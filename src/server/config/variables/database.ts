import { flag, folder, integer, postgres, type Variable } from '../variable.ts';

/** The variables of the database and the data folder. */
export const database = [
  {
    name: 'DATABASE_URL',
    description: 'URL of the Postgres database; without it an embedded database under DATA_DIR, for a single process.',
    example: 'postgres://staffing:secret@db.example:5432/staffing',
    secret: true,
    ...postgres,
  },
  {
    name: 'MIGRATION_DATABASE_URL',
    description:
      'URL for migrations and for reserving blocks of ids: a direct connection, required if DATABASE_URL is that of a transaction pooler, or another login.',
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
    description: 'Maximum number of connections to Postgres per process.',
    default: '10',
    example: '20',
    ...integer(1, 1000),
  },
  {
    name: 'DATABASE_PREPARED',
    description:
      'Whether to use named prepared statements; `false` behind a pooler that does not support them (PgBouncer before 1.21).',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'STATEMENT_TIMEOUT',
    description: 'Maximum duration of a database statement in milliseconds; a longer one is a 503 response.',
    default: '5000',
    example: '10000',
    ...integer(100, 600_000),
  },
  {
    name: 'CHANGES_RETENTION',
    description: 'Number of days for which changes are kept for `GET /changes`; older cursors have expired (410).',
    default: '90',
    example: '365',
    ...integer(1, 36_500),
  },
  {
    name: 'ALLOW_EMBEDDED',
    description: 'Whether the embedded database is allowed with NODE_ENV=production.',
    default: 'false',
    example: 'true',
    ...flag,
  },
  {
    name: 'DATA_DIR',
    description:
      'Folder of the embedded database, the files of tenants (FILE_DIR names another), the development authority of certificates, the generated token keys, and the address at which commands reach the running server.',
    default: 'data',
    example: '/var/lib/staffing',
    ...folder,
  },
] as const satisfies readonly Variable[];
