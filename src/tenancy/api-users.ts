import { type Selectable, sql } from 'kysely';
import type { Tenant } from '../core/principal.ts';
import { type Access, unrestricted } from '../core/resource/access.ts';
import { newId } from '../db/ids.ts';
import type { Database } from '../db/open.ts';
import type { OwnerTransaction } from '../db/owner.ts';
import type { AccessTables } from '../db/system-tables.ts';
import { InputError } from './names.ts';

/** A person or program that may use a tenant's API. */
export type ApiUser = ReturnType<typeof toApiUser>;

type OwnerDatabase = Pick<Database, 'asOwner'>;

const columns = ['id', 'name', 'read_only', 'scopes', 'hidden', 'active', 'created_at'] as const;

const toApiUser = (row: Pick<Selectable<AccessTables['api_users']>, (typeof columns)[number]>) => ({
  id: row.id,
  name: row.name,
  readOnly: row.read_only,
  scopes: row.scopes,
  hidden: row.hidden as Access['hidden'],
  active: row.active,
  createdAt: new Date(row.created_at),
});

/** All API users of a tenant, ordered by id. */
export const listApiUsers = async (database: OwnerDatabase, tenant: Tenant): Promise<readonly ApiUser[]> => {
  const rows = await database.asOwner(tenant.id, ({ kysely }) =>
    kysely.selectFrom('api_users').select(columns).orderBy('id').execute(),
  );
  return rows.map(toApiUser);
};

/** Creates an API user. @throws InputError if the tenant already has an API user of that name */
export const createApiUser = async (
  database: OwnerDatabase,
  tenant: Tenant,
  user: { readonly name: string; readonly readOnly: boolean } & Partial<Access>,
): Promise<ApiUser> => {
  const row = await database.asOwner(tenant.id, async transaction =>
    transaction.kysely
      .insertInto('api_users')
      .values({
        id: await newId(transaction, 'api_users'),
        name: user.name,
        read_only: user.readOnly,
        ...columnsOf({ ...unrestricted, ...user }),
      })
      .onConflict(conflict => conflict.columns(['tenant_id', 'name']).doNothing())
      .returning(columns)
      .executeTakeFirst(),
  );
  if (!row) throw new InputError(`Tenant ${tenant.slug} already has an API user "${user.name}"`);
  return toApiUser(row);
};

const columnsOf = ({ scopes, hidden }: Access) => ({ scopes: JSON.stringify(scopes), hidden: JSON.stringify(hidden) });

/**
 * Changes what an API user may do and see, and whether its tokens are accepted.
 * On every instance within a second. What is not given stays as it is in the database then.
 * @param follow what follows, in the same transaction, if the API user was disabled and is enabled
 * @returns null if there is no such API user
 */
export const updateApiUser = async (
  database: OwnerDatabase,
  tenant: Tenant,
  id: number,
  { scopes, hidden, active }: Partial<Pick<ApiUser, 'scopes' | 'hidden' | 'active'>>,
  follow?: (transaction: OwnerTransaction) => Promise<void>,
): Promise<ApiUser | null> => {
  const row = await database.asOwner(tenant.id, async transaction => {
    const { kysely } = transaction;
    const before = kysely.selectFrom('api_users').select('active').where('id', '=', id).forUpdate();
    const isEnabled = active === true && (await before.executeTakeFirst())?.active === false;
    const changed = await kysely
      .updateTable('api_users')
      .set({
        scopes: scopes ? JSON.stringify(scopes) : sql<string>`scopes`,
        hidden: hidden ? JSON.stringify(hidden) : sql<string>`hidden`,
        active: active ?? sql<boolean>`active`,
      })
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirst();
    if (isEnabled) await follow?.(transaction);
    return changed;
  });
  return row ? toApiUser(row) : null;
};

/**
 * The API user with a name or, if there is none, with an id.
 * @throws InputError with the names of the existing API users
 */
export const findApiUser = async (database: OwnerDatabase, tenant: Tenant, nameOrId: string): Promise<ApiUser> => {
  const users = await listApiUsers(database, tenant);
  const found = users.find(({ name }) => name === nameOrId) ?? users.find(({ id }) => String(id) === nameOrId);
  if (found) return found;
  const known = users.map(({ name }) => `"${name}"`).join(', ') || 'none';
  throw new InputError(`Tenant ${tenant.slug} has no API user "${nameOrId}"; existing API users: ${known}`);
};
