import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { openDatabase } from '../../../src/db/open.ts';
import { ownSchema } from '../../../src/db/schema/files.ts';
import { expectedSchema } from '../../../src/server/expected-schema.ts';
import { listApiUsers } from '../../../src/tenancy/api-users.ts';
import { listTenants } from '../../../src/tenancy/directory.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, onServer, scratchUrl, unboundUrl } from '../../support/database.ts';

/** The demo data of an earlier schema: the rows of its tables, and the first hundred records of listings as they were then. */
interface Earlier {
  readonly tables: Readonly<
    Record<string, { readonly columns: readonly string[]; readonly rows: readonly unknown[][] }>
  >;
  readonly responses: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

const readEarlier = (schema: string): Earlier =>
  JSON.parse(
    brotliDecompressSync(readFileSync(new URL(`../../fixtures/schemas/${schema}.json.br`, import.meta.url))).toString(),
  );

/** Returns the statement that fills a table, whatever its keys and policies. */
const filling = (table: string, { columns, rows }: Earlier['tables'][string]): string => {
  const records = rows.map(row => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
  const names = columns.map(column => `"${column}"`).join();
  return `insert into "${table}" (${names}) overriding system value
    select ${names} from json_populate_recordset(null::"${table}", $rows$${JSON.stringify(records)}$rows$)`;
};

/** Whether a value is an earlier one, whose objects can have got new members. */
const includes = (now: unknown, then: unknown): boolean =>
  typeof then === 'object' && then !== null && typeof now === 'object' && now !== null
    ? (!Array.isArray(then) || then.length === (now as unknown[]).length) &&
      Object.entries(then).every(([name, value]) => includes((now as Record<string, unknown>)[name], value))
    : now === then;

type Line = Readonly<Record<string, unknown>> & { readonly rate: number };

/** Returns what an earlier line of a pay run is now: its rate has the factor beside it, and a wage entered by hand has no type. */
const lineNow = ({ rate, wage_type_id, ...line }: Line, now: Line): unknown => ({
  ...line,
  rate: rate / Number(now.factor ?? 1),
  wage_type_id: now.wage_type_id === null ? null : wage_type_id,
});

/** Returns what an earlier value of a field is now. */
const valueNow = (field: string, then: unknown, now: unknown): unknown =>
  field === '/paysheets lines'
    ? (then as Line[]).map((line, index) => lineNow(line, (now as Line[])[index] as Line))
    : then;

describe('the demo data of an earlier release', () => {
  for (const { version, migrations: had } of ownSchema.released)
    it(`${version}, migrated, is listed as before`, async () => {
      const schema = had.at(-1)?.name.slice(0, 4) ?? '';
      const { tables, responses } = readEarlier(schema);
      const url = await scratchUrl();
      const migrations = ownSchema.migrations.filter(({ name }) => name.slice(0, 4) <= schema);
      const before = openDatabase({ ...inMemory, url, schema: { ...ownSchema, migrations, definitions: [] } });
      await before.migrate();
      await before.close();
      const fillings = Object.entries(tables).map(([table, rows]) => filling(table, rows));
      await onServer(['set session_replication_role = replica', ...fillings].join(';'), await unboundUrl(url));

      const database = openDatabase({ ...inMemory, url });
      await database.migrate();
      assert.deepEqual(await database.differences(expectedSchema), []);
      const app = await startApp(database);
      const [entry] = await listTenants(database);
      const { tenant } = entry ?? assert.fail();
      const [user] = await listApiUsers(database, tenant);
      const client = { tenant, token: await app.tokenOf(tenant, user?.id ?? 0) };
      const different = new Map<string, string>();
      for (const [path, earlier] of Object.entries(responses)) {
        const { status, body } = await app.callAs(client, 'GET', `${path}?limit=100`);
        assert.deepEqual([path, status, body.length], [path, 200, earlier.length]);
        for (const [index, record] of earlier.entries())
          for (const [name, value] of Object.entries(record))
            if (!includes(body[index][name], valueNow(`${path} ${name}`, value, body[index][name])))
              different.set(`${path} ${name}`, JSON.stringify([value, body[index][name]]));
      }
      assert.deepEqual([...different], []);
      await app.close();
      await database.close();
    });
});
