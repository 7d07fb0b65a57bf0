import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { OwnerTransaction } from '../../src/db/owner.ts';

/**
 * Ends what instances keep of a tenant's data, as a new field would: after a change by SQL, which the journal does not have.
 * @param system of the transaction that makes the change
 */
export const outdate = async (tenantId: number, system: OwnerTransaction['system']): Promise<void> => {
  await sql`update dynamic_versions set version = ${randomUUID()} where tenant_id = ${tenantId}`.execute(system);
};
