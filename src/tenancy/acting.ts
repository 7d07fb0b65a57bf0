import type { Principal } from '../core/principal.ts';
import type { Access } from '../core/resource/access.ts';
import type { TenantDb } from '../db/database.ts';

/** Returns the API user of the tenant as a principal without a token; null if it does not exist or is inactive. */
export const actingUser = async (db: TenantDb, apiUserId: number): Promise<Principal | null> => {
  const { tenant } = db;
  const [result] = await db.read({
    name: 'acting_user',
    text: 'select name, read_only, scopes, hidden from api_users where tenant_id = $1 and id = $2 and active',
    values: [String(tenant.id), String(apiUserId)],
  });
  const row = result?.rows[0];
  if (!row) return null;
  const [name, readOnly, scopes, hidden] = row;
  const access: Access = { scopes: JSON.parse(scopes ?? '[]'), hidden: JSON.parse(hidden ?? '[]') };
  return { tenant, apiUser: { id: apiUserId, name: name ?? '', readOnly: readOnly === 't', ...access }, tokenId: '' };
};
