import pg from 'pg';
import type { Statement, TenantDb } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createTenant } from '../../src/domain/provision/provision.ts';
import { withMigration } from '../../test/support/database.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';

/**
 * Measures a page of records with dynamic fields for each way of storing them.
 * Filtered by one field, sorted by another, with all fields in the result, queried in the role that serves requests. Prints the
 * median milliseconds of a page.
 */
const records = 50_000;
const fields = 40;
const repetitions = 200;

/** The kinds of columns, ten of each; keys have few values, so that a filter keeps a known share. */
const kinds = ['text', 'number', 'date', 'key'] as const;
const columns = kinds.flatMap(kind =>
  Array.from({ length: fields / kinds.length }, (_, index) => `${kind}_${index + 1}`),
);
const types = { text: 'text', number: 'double precision', date: 'date', key: 'bigint' };
const kindOf = (column: string) => column.split('_')[0] as (typeof kinds)[number];

/** Returns the SQL expression for a column's value in record number `n`; every seventh value is null. */
const sampleOf = (column: string): string => {
  const number = Number(column.split('_')[1]);
  const hash = `(abs(hashint8(n * 31 + ${number * 7 + column.length})) % 100000)`;
  const value = {
    text: `'value ' || ${hash}`,
    number: `${hash}::double precision / 4`,
    date: `date '2020-01-01' + (${hash} % 2000)`,
    key: `${hash} % ${number === 1 ? 10 : number === 2 ? 1000 : 25}`,
  }[kindOf(column)];
  return `case when n % 7 = ${number % 7} then null else ${value} end`;
};

/** Returns the statements that create a table with columns (`name type`) and indexes on lists of these. */
const benchTable = (name: string, definitions: readonly string[], indexes: readonly string[]): string => `
  create table ${name} (tenant_id bigint, id bigint, primary key (tenant_id, id), ${definitions.join(', ')});
  ${indexes.map(list => `create index on ${name} (tenant_id, ${list});`).join('\n')}
  select tenant_table('${name}');`;

const typed = columns.map(column => `${column} ${types[kindOf(column)]}`);
const valueColumns = [
  'record_id bigint not null',
  'attribute_id bigint not null',
  ...kinds.map(kind => `${kind} ${types[kind]}`),
];
const tables = [
  benchTable('bench_plain', ['company text', ...typed], columns),
  benchTable('bench_json', ['company text', 'data jsonb'], ["(data ->> 'text_1')", "(data ->> 'key_1')"]),
  'create index on bench_json using gin (data jsonb_path_ops);',
  benchTable('bench_records', ['company text'], []),
  benchTable(
    'bench_values',
    [...valueColumns, 'unique (tenant_id, record_id, attribute_id)'],
    kinds.map(kind => `attribute_id, ${kind}, record_id`),
  ),
].join('\n');

const fill = (tenant: number): string[] => {
  const series = `from generate_series(1, ${records}) n`;
  const plain = columns.map(sampleOf).join(', ');
  const object = `jsonb_strip_nulls(jsonb_build_object(${columns.map(column => `'${column}', ${sampleOf(column)}`).join(', ')}))`;
  return [
    `insert into bench_plain (tenant_id, id, company, ${columns}) select ${tenant}, n, 'Client ' || n, ${plain} ${series}`,
    `insert into bench_json (tenant_id, id, company, data) select ${tenant}, n, 'Client ' || n, jsonb_build_object(${columns
      .slice(0, 20)
      .map(column => `'${column}', ${sampleOf(column)}`)}) || ${object} ${series}`,
    `insert into bench_records (tenant_id, id, company) select ${tenant}, n, 'Client ' || n ${series}`,
    ...columns.map(
      (column, index) => `insert into bench_values (tenant_id, record_id, attribute_id, "${kindOf(column)}")
        select ${tenant}, n, ${index + 1}, v from (select n, ${sampleOf(column)} as v ${series}) s where v is not null`,
    ),
    `insert into clients (tenant_id, id, company) select ${tenant}, n, 'Client ' || n ${series}`,
    `insert into dynamic_clients (tenant_id, id) select ${tenant}, n ${series}`,
    `update dynamic_clients d set (${columns}) = (select ${columns} from bench_plain p where p.tenant_id = d.tenant_id and p.id = d.id) where tenant_id = ${tenant}`,
    'vacuum analyze',
  ];
};

const attributeOf = (column: string): number => columns.indexOf(column) + 1;
const list = (of: (column: string) => string): string => ['r.id', 'r.company', ...columns.map(of)].join(', ');

/** The query for a page with each way of storing: key `$2`, sorted by a text column, nulls last. */
const pages = (key: string, text: string): Record<string, string> => ({
  'plain columns': `select ${list(column => `r.${column}`)} from bench_plain r
    where r.tenant_id = $1 and r.${key} = $2::bigint order by r.${text}, r.id limit 51`,
  'slots beside the table': `select ${list(column => `d.${column}`)} from clients r
    join dynamic_clients d on d.tenant_id = $1 and d.id = r.id
    where r.tenant_id = $1 and d.${key} = $2::bigint order by d.${text}, r.id limit 51`,
  'value rows': `select r.id, r.company, (select json_object_agg(attribute_id, coalesce("text", number::text, date::text, key::text))
      from bench_values v where v.tenant_id = $1 and v.record_id = r.id)
    from (select r.id, r.company from bench_records r
      join bench_values f on f.tenant_id = $1 and f.record_id = r.id and f.attribute_id = ${attributeOf(key)} and f.key = $2::bigint
      left join bench_values s on s.tenant_id = $1 and s.record_id = r.id and s.attribute_id = ${attributeOf(text)}
      where r.tenant_id = $1 order by s.text, r.id limit 51) r`,
  'one jsonb column': `select ${list(column => `r.data ->> '${column}'`)} from bench_json r
    where r.tenant_id = $1 and (r.data ->> '${key}') = $2 order by (r.data ->> '${text}') collate "und-x-icu", r.id limit 51`,
});

const median = async (db: TenantDb, statement: Statement): Promise<number> => {
  const times: number[] = [];
  for (let run = 0; run < repetitions; run++) {
    const start = performance.now();
    await db.read(statement);
    if (run >= 20) times.push(performance.now() - start);
    else if (run > 2 && performance.now() - start > 100) return performance.now() - start;
  }
  return times.sort((left, right) => left - right)[times.length >> 1] ?? Number.NaN;
};

const main = async (): Promise<void> => {
  const url = process.env.BENCH_DATABASE_URL ?? (await startPostgres());
  const database = openDatabase({ url, dataDir: '', poolSize: 1, schema: withMigration('9001-bench', tables) });
  await database.migrate();
  const wanted = { slug: 'bench', name: 'Bench', timeZone: 'UTC', modules: [], hosts: [] };
  const tenant = await createTenant(database, wanted, 'bench');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const text of fill(tenant.id)) await client.query(text);
  await client.end();
  const db = database.forTenant(tenant);
  for (const [key, text, says] of [
    ['key_1', 'text_1', 'a tenth of the records'],
    ['key_3', 'text_2', 'a twenty-fifth'],
    ['key_2', 'text_1', 'a thousandth'],
  ] as const) {
    console.log(`Filter that keeps ${says}:`);
    let baseline = Number.NaN;
    for (const [name, text_] of Object.entries(pages(key, text))) {
      const values = [String(tenant.id), '3'];
      const time = await median(db, { name: `${name} ${key}`, text: text_, values });
      if (name === 'plain columns') baseline = time;
      console.log(`  ${name.padEnd(24)}${time.toFixed(2).padStart(8)} ms${(time / baseline).toFixed(1).padStart(7)}×`);
    }
  }
  await database.close();
};

if (import.meta.main) await main();
