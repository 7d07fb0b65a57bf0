import type { Principal } from '../core/principal.ts';
import type { TenantDb } from '../db/database.ts';

/** Returns the API user of the tenant as a principal without a token; null if it does not exist or is inactive. */
export const actingUser = async (db: TenantDb, apiUserId: number): Promise<Principal | null> => {
  const { tenant } = db;
  const [result] = await db.read({
    name: 'acting_user',
    text: 'select name, read_only from api_users where tenant_id = $1 and id = $2 and active',
    values: [String(tenant.id), String(apiUserId)],
  });
  const row = result?.rows[0];
  if (!row) return null;
  return { tenant, apiUser: { id: apiUserId, name: row[0] ?? '', readOnly: row[1] === 't' }, tokenId: '' };
};
