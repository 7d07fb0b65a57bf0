import pg from 'pg';
import { openDatabase } from '../../src/db/open.ts';
import { inMemory } from './database.ts';
import { startPostgres } from './postgres-server.ts';

const run = async <T extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query<T>(text, values).finally(() => client.end());
};

/** Starts a Postgres server that has given that many transaction ids, and returns a function that makes a migrated database on it. */
export const startServer = async (ids = 0): Promise<() => Promise<string>> => {
  const server = await startPostgres();
  await run(server, `do $$ begin for i in 1..${ids} loop perform pg_current_xact_id(); commit; end loop; end $$`);
  let made = 0;
  return async () => {
    const url = new URL(server);
    url.pathname = `/staffing_${++made}`;
    await run(server, `create database staffing_${made}`);
    const database = openDatabase({ ...inMemory, url: url.href });
    await database.migrate();
    await database.close();
    return url.href;
  };
};

/** Copies the rows of all tables to another server, as a dump and its restore do: without what belongs to the server. */
export const copyRows = async (from: string, to: string): Promise<void> => {
  const tables = await run<{ name: string; columns: string }>(
    from,
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname !~ '^schema_' group by 1`,
  );
  for (const { name, columns } of tables.rows) {
    const { rows } = await run<{ all: string }>(
      from,
      `select coalesce(json_agg(t), '[]')::text as all from "${name}" t`,
    );
    await run(
      to,
      `with emptied as (select set_config('session_replication_role', 'replica', false))
      insert into "${name}" (${columns}) overriding system value
      select ${columns} from emptied, json_populate_recordset(null::"${name}", $1)`,
      [rows[0]?.all],
    );
  }
  const sequences = await run<{ next: string }>(
    from,
    `select format('select setval(%L, %s)', sequencename, last_value) as next from pg_sequences
    where schemaname = 'public' and last_value is not null`,
  );
  for (const { next } of sequences.rows) await run(to, next);
};
