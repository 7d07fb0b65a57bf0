import type { Principal } from '../core/principal.ts';
import type { Access } from '../core/resource/access.ts';
import { modulesOf } from '../core/resource/modules.ts';
import type { Transaction } from '../db/database.ts';

/** In whose name a transaction acts. */
export interface Acting {
  /** False: the tenant is disabled, and nothing may be written. */
  readonly active: boolean;
  /** The API user, as a principal without a token; null: it does not exist or is inactive. */
  readonly principal: Principal | null;
}

/** Reads in whose name the transaction acts, as it is now (acting.sql). */
export const readActing = async (apiUserId: number, transaction: Transaction): Promise<Acting> => {
  const [result] = await transaction.send({
    name: 'acting_user',
    text: 'select active, modules, name, read_only, scopes, hidden from acting_user($1)',
    values: [String(apiUserId)],
  });
  const [active, given, name, readOnly, scopes, hidden] = result?.rows[0] ?? [];
  if (active !== 't') return { active: false, principal: null };
  if (name === null || name === undefined) return { active: true, principal: null };
  const tenant = { ...transaction.tenant, modules: modulesOf(JSON.parse(given ?? '[]')) };
  const access: Access = { scopes: JSON.parse(scopes ?? '[]'), hidden: JSON.parse(hidden ?? '[]') };
  const apiUser = { id: apiUserId, name, readOnly: readOnly === 't', ...access };
  return { active: true, principal: { tenant, apiUser, tokenId: '' } };
};
