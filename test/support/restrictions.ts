import type { Tenant } from '../../src/core/principal.ts';
import type { Database } from '../../src/db/open.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import type { App, Client } from './app.ts';

/** An API user of a tenant, whom tests restrict while its request is under way. */
export interface Restricted extends Pick<Client, 'tenant' | 'token'> {
  readonly database: Database;
  /** Moves the clock of the instance, in milliseconds. */
  readonly pass: (ms: number) => void;
  readonly userId: number;
  /** Another API user of the tenant, who is not restricted. */
  readonly other: Client;
}

/** What an administrator does to an API user, or time does. */
export interface Restriction {
  readonly name: string;
  /** Brings it about; the instance looks up the caller again from then on. */
  set(user: Restricted): Promise<unknown>;
}

/** Longer than what was looked up is recent. */
const second = 1_000;

const ofUser = (table: 'tokens' | 'api_users', values: object) => (user: Restricted) =>
  user.database.asOwner(user.tenant.id, ({ kysely }) =>
    kysely
      .updateTable(table)
      .set(values)
      .where(table === 'tokens' ? 'api_user_id' : 'id', '=', user.userId)
      .execute(),
  );

const ofTenant =
  (values: (tenant: Tenant) => object) =>
  ({ database, tenant }: Restricted) =>
    database.system.updateTable('tenants').set(values(tenant)).where('id', '=', tenant.id).execute();

const json = (value: readonly unknown[]) => JSON.stringify(value);

const without = (module: string) =>
  ofTenant(({ modules }) => ({ modules: json([...modules].filter(name => name !== module)) }));

const changes: readonly Restriction[] = [
  { name: 'the token was revoked', set: ofUser('tokens', { revoked_at: '2026-01-01T00:00:00Z' }) },
  { name: 'the API user was disabled', set: ofUser('api_users', { active: false }) },
  { name: 'scopes were taken away', set: ofUser('api_users', { scopes: json(['planners:read', 'planners:write']) }) },
  { name: 'the API user became read-only', set: ofUser('api_users', { read_only: true }) },
  { name: 'a category was hidden', set: ofUser('api_users', { hidden: json(['contact']) }) },
  { name: 'a module was switched off', set: without('checkins') },
  { name: 'the tenant was disabled', set: ofTenant(() => ({ active: false })) },
];

/** All restrictions that end or narrow what a request may do. */
export const restrictions: readonly Restriction[] = [
  ...changes.map(({ name, set }) => ({
    name,
    set: async (user: Restricted) => {
      await set(user);
      user.pass(second);
    },
  })),
  { name: 'the token expired', set: async ({ pass }) => pass(3_700_000) },
];

let users = 0;

/** Returns a new API user that nothing is hidden from: of a new tenant, unless one is given. */
export const newRestricted = async (app: App, clock: { now: number }, of?: Client): Promise<Restricted> => {
  const other = of ?? (await app.newClient());
  const { tenant } = other;
  const { database } = app;
  const { id: userId } = await createApiUser(database, tenant, { name: `restricted ${++users}`, readOnly: false });
  const pass = (ms: number) => {
    clock.now += ms;
  };
  return { database, tenant, userId, other, token: await app.tokenOf(tenant, userId), pass };
};
