import type { Tenant } from '../../core/principal.ts';
import type { Database } from '../../db/open.ts';
import { type ApiUser, updateApiUser } from '../../tenancy/api-users.ts';
import { markingOf, passOver } from '../occurrences/pass-over.ts';

/**
 * Changes an API user, as `updateApiUser` does.
 * What has happened while it was disabled is passed over by the automations that act for it.
 * @returns null if there is no such API user
 */
export const changeApiUser = (
  database: Pick<Database, 'asOwner'>,
  tenant: Tenant,
  id: number,
  changes: Parameters<typeof updateApiUser>[3],
): Promise<ApiUser | null> =>
  updateApiUser(database, tenant, id, changes, transaction =>
    passOver({ apiUserId: id }, tenant, markingOf(transaction)),
  );
