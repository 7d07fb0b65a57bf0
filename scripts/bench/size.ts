import pg from 'pg';
import { openDatabase } from '../../src/db/open.ts';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { fillTenants, listedTenant, vacuum } from './data.ts';
import { writeOf } from './journal.ts';

/** The tables of tenants, the largest first. */
const sizes = `select relname as name, pg_table_size(c.oid)::bigint as rows, pg_indexes_size(c.oid)::bigint as indexes
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  order by pg_total_relation_size(c.oid) desc`;

interface DiskUse {
  readonly name: string;
  readonly rows: string;
  readonly indexes: string;
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const sum = (found: readonly DiskUse[], of: 'rows' | 'indexes'): number =>
  found.reduce((total, size) => total + Number(size[of]), 0);

/**
 * `npm run bench size -- [--short]`: what a tenant takes on disk.
 * Fills a tenant with 200,000 assignments on a Postgres server of its own and prints the bytes of its tables and indexes, the largest by name.
 * Then writes 10,000 times as the API does, and prints what a write adds to the journal and to the log of the server (WAL).
 */
export const reportSize = async (args: readonly string[], print = console.log): Promise<number> => {
  const short = args.includes('--short');
  const url = await startPostgres({ full_page_writes: 'on' });
  const wanted = listedTenant(short);
  await fillTenants(url, [wanted], generateKeySet('HS256'));
  await vacuum(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: found } = await client.query<DiskUse>(sizes);
  print(
    `${wanted.size} assignments: ${mebibytes(sum(found, 'rows'))} of tables, ${mebibytes(sum(found, 'indexes'))} of indexes`,
  );
  for (const { name, rows, indexes } of found.slice(0, 8))
    print(`  ${name}: ${mebibytes(Number(rows))}, indexes ${mebibytes(Number(indexes))}`);

  const database = openDatabase({ url, dataDir: 'memory://' });
  const { rows: tenants } = await client.query<{ id: string; slug: string }>('select id, slug from tenants');
  const named = { slug: wanted.slug, name: wanted.slug, timeZone: 'UTC', modules: new Set<never>() };
  const write = await writeOf(
    database.forTenant({ id: Number(tenants[0]?.id), ...named, rateLimit: null, sandbox: false, clockAhead: 0 }),
  );
  const state = async () => {
    const { rows } = await client.query(
      `select pg_total_relation_size('journal')::float8 as journal, pg_current_wal_lsn() - '0/0' as wal`,
    );
    return { journal: Number(rows[0].journal), wal: Number(rows[0].wal) };
  };
  const writes = short ? 1_000 : 10_000;
  const before = await state();
  for (let turn = 0; turn < writes; turn++) await write();
  const after = await state();
  for (const what of ['journal', 'wal'] as const)
    print(`A write adds ${((after[what] - before[what]) / writes).toFixed(0)} bytes to the ${what}`);
  await client.end();
  await database.close();
  return 0;
};
