/** A database server. */
export interface PostgresServer {
  /** As the server shows it. */
  readonly version: string;
  readonly major: number;
  /** Whether the database has the root collation of ICU. */
  readonly icu: boolean;
}

/** The oldest version of Postgres with everything that migrations and definitions use. */
const OLDEST = 15;

/** Returns why the service cannot run on a database server, and what to do; null: it can. */
export const obstacleOf = ({ version, major, icu }: PostgresServer): string | null => {
  if (major < OLDEST)
    return `The database server is Postgres ${version}: the service needs Postgres ${OLDEST} or newer, with ICU.`;
  if (icu) return null;
  return `The database has no collation "und-x-icu": the service needs a Postgres server that is built with ICU. If this one is, a superuser adds its collations with: select pg_import_system_collations('pg_catalog')`;
};
