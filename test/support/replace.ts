import type { TenantDb } from '../../src/db/database.ts';
import type { Database } from '../../src/db/open.ts';

/** Returns the database with methods of each tenant's database replaced by those that `replace` returns. */
export const replaceForTenants = (database: Database, replace: (db: TenantDb) => Partial<TenantDb>): Database => {
  const replaced = (db: TenantDb): TenantDb =>
    Object.assign(Object.create(db), replace(db), {
      proving: (...proof: Parameters<TenantDb['proving']>) => replaced(db.proving(...proof)),
      as: (...tenant: Parameters<TenantDb['as']>) => replaced(db.as(...tenant)),
    });
  return { ...database, forTenant: (...tenant) => replaced(database.forTenant(...tenant)) };
};
