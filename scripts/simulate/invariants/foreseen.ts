import { rebuildConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import { listTenants } from '../../../src/tenancy/directory.ts';
import type { Invariant } from './invariant.ts';

/** Conflicts are what judging all work again finds. */
export const foreseen: Invariant = {
  name: 'conflicts are their recomputation',
  state: async ({ server: { database, tenant } }) => {
    const present = (await listTenants(database)).find(each => each.tenant.id === tenant.id);
    if (!present) return ['the tenant is not among the tenants'];
    const wrong = await rebuildConflicts(database.forTenant(present.tenant));
    return wrong === 0 ? [] : [`${wrong} conflicts were added, changed or removed`];
  },
};
