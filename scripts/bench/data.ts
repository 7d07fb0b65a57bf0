import pg from 'pg';
import type { Tenant } from '../../src/core/principal.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { addDynamicFields, type DemoField } from '../../src/demo/dynamic.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { findTenantBySlug } from '../../src/tenancy/directory.ts';
import { parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { serverOf } from './processes.ts';

/** A tenant of the benchmark: what requests to it are made of. */
export interface BenchTenant {
  readonly id: number;
  readonly host: string;
  readonly token: string;
  readonly apiUser: number;
  /** The ids of its assignments, ascending. */
  readonly assignments: readonly number[];
  /** Of those the ones whose status, which is 6, can go to 7 and back. */
  readonly changeable: readonly number[];
  /** The number of assignments before the benchmark wrote any. */
  readonly size: number;
  /** What its listings can be filtered by; only of the tenant for the workloads of listings. */
  readonly listed?: ListedValues;
}

/** Ids of records, and the seconds since 1970 between which events begin and assignments were changed. */
export interface ListedValues {
  readonly eventFunctions: readonly number[];
  readonly events: readonly number[];
  readonly employees: readonly number[];
  readonly clients: readonly number[];
  readonly begins: NumberRange;
  readonly changes: NumberRange;
}

export type NumberRange = readonly [from: number, to: number];

/** The domain of the tenants. */
export const baseDomain = 'bench';

/** A tenant as it is to be filled. */
export interface WantedTenant {
  readonly slug: string;
  /** Number of assignments. */
  readonly size: number;
  /** Whether only the workloads of listings ask for it. */
  readonly listed?: true;
}

const sizes = {
  /** 200,000 in 20 tenants. */
  whole: [
    80_000, 40_000, 24_000, 14_000, 9_000, 6_000, 4_500, 3_500, 3_000, 2_500, 2_200, 1_900, 1_700, 1_500, 1_300, 1_200,
    1_000, 900, 900, 900,
  ],
  short: [3_000, 900],
};

/** With those of the demo data, clients have ten. */
const moreFields: readonly DemoField[] = [
  { entity: 'clients', name: 'Contract number', type: 'text', value: (_, id) => `V-${id * 7}` },
  {
    entity: 'clients',
    name: 'Note',
    type: 'text',
    value: random => random.pick(['Invoice by "e-mail"', 'Größe', null]),
  },
  { entity: 'clients', name: 'Payment term', type: 'number', value: random => random.integer(1, 6) * 10 },
  { entity: 'clients', name: 'Client since', type: 'date', value: random => `20${random.integer(10, 26)}-03-01` },
  { entity: 'clients', name: 'Key account', type: 'boolean', value: random => String(random.chance(0.2)) },
  { entity: 'clients', name: 'Rating', type: 'number', value: random => random.integer(0, 20) / 4 },
];

/** The tenants of the comparison, which can share a database with those of its short form. */
export const comparedTenants = (short: boolean): readonly WantedTenant[] =>
  sizes[short ? 'short' : 'whole'].map((size, index) => ({ slug: `${short ? 'short' : 'tenant'}-${index + 1}`, size }));

/** The tenant of the workloads of listings. */
export const listedTenant = (short: boolean): WantedTenant => ({
  slug: short ? 'short-listed' : 'listed',
  size: short ? 3_000 : 200_000,
  listed: true,
});

const lifetime = 86_400;

/**
 * Fills the tenants that are missing, one after the other, and returns all of them in their order.
 * @param keys the key set of their tokens
 */
export const fillTenants = async (
  url: string,
  wanted: readonly WantedTenant[],
  keys: string,
): Promise<readonly BenchTenant[]> => {
  const database = openDatabase({ url, dataDir: 'memory://' });
  await database.migrate();
  const tenants: Tenant[] = [];
  let filled = 0;
  for (const { slug, size } of wanted) {
    const known = await findTenantBySlug(database, slug);
    if (!known) filled++;
    tenants.push(known ?? (await fill(database, slug, size)));
  }
  if (filled > 0) await database.analyze();
  const tokens = createTokens({ database, keys: parseKeySet(keys, 'HS256'), issuer: 'staffing' });
  const described: BenchTenant[] = [];
  for (const [index, tenant] of tenants.entries())
    described.push({
      ...(await describe(database, tenant, tokens)),
      size: wanted[index]?.size ?? 0,
      ...(wanted[index]?.listed && { listed: await describeListed(database, tenant) }),
    });
  await database.close();
  return described;
};

const fill = async (database: Database, slug: string, size: number): Promise<Tenant> => {
  const { tenant } = await fillDemo(database, { size, slug, baseDomain });
  await database.asOwner(tenant.id, transaction => addDynamicFields(transaction, moreFields));
  return tenant;
};

const describe = async (
  database: Database,
  tenant: Tenant,
  tokens: ReturnType<typeof createTokens>,
): Promise<Omit<BenchTenant, 'size'>> => {
  const read = (text: string) =>
    database.asOwner(tenant.id, async ({ send }) => {
      const [result] = await send({ name: null, text, values: [String(tenant.id)] });
      return (result?.rows ?? []).map(([id]) => Number(id));
    });
  const [apiUser = 0] = await read('select id from api_users where tenant_id = $1 order by id limit 1');
  const assignments = await read('select id from assignments where tenant_id = $1 order by id');
  const changeable = await read(
    `select a.id from assignments a
     join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
     join events e on e.tenant_id = a.tenant_id and e.id = f.event_id
     where a.tenant_id = $1 and a.status = 6 and not a.is_approved and e.status not in (3, 5) order by a.id`,
  );
  const { token } = await tokens.issueToken(tenant, apiUser, lifetime);
  return { id: tenant.id, host: `${tenant.slug}.${baseDomain}`, token, apiUser, assignments, changeable };
};

const describeListed = async (database: Database, tenant: Tenant): Promise<ListedValues> => {
  const read = (text: string) =>
    database.asOwner(tenant.id, async ({ send }) => {
      const [result] = await send({ name: null, text, values: [String(tenant.id)] });
      return (result?.rows ?? []).map(row => row.map(Number));
    });
  const idsOf = async (table: string) =>
    (await read(`select id from ${table} where tenant_id = $1 order by id`)).flat();
  const spanOf = async (table: string, column: string) => {
    const bounds = ['min', 'max'].map(of => `extract(epoch from ${of}(${column}))::bigint`);
    return (await read(`select ${bounds} from ${table} where tenant_id = $1`))[0] as unknown as NumberRange;
  };
  return {
    eventFunctions: await idsOf('event_functions'),
    events: await idsOf('events'),
    employees: await idsOf('employees'),
    clients: await idsOf('clients'),
    begins: await spanOf('events', 'start'),
    changes: await spanOf('assignments', 'updated_at'),
  };
};

/**
 * Removes what would be at work while the server is measured, and vacuums and analyzes the tables.
 * @returns the database server's process; null: it is on another machine
 */
export const settle = async (client: pg.Client, tenants: readonly BenchTenant[]): Promise<number | null> => {
  for (const table of ['automation_deliveries', 'automation_occurrences', 'automations'])
    await client.query(`delete from ${table} where tenant_id = any($1)`, [tenants.map(({ id }) => id)]);
  await client.query('vacuum analyze');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return serverOf(rows[0]?.pid ?? 0);
};

/** Vacuums and analyzes the tables: only then does an index alone serve new rows. */
export const vacuum = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
};
