import type { Kysely } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import type { Origin } from '../core/origin.ts';
import { tenantPlugin } from './binding/tenant-plugin.ts';
import type { Pool, RawStatement } from './connection.ts';
import type { Entered, Result, Transaction } from './database.ts';
import { enteredOf, enterOwner, type Timeouts, WRITE } from './enter.ts';
import type { Ids } from './id-blocks/ids.ts';
import { Entries } from './journal/entries.ts';
import { kyselyWithin } from './kysely.ts';
import type { AccessTables, SystemTables } from './system-tables.ts';
import { transact } from './transaction.ts';

/** Time beyond the server's statement timeout, before a silent server is given up. */
export const GRACE = 1000;
/** Long enough for the creation of demo data. */
const OWNER_STATEMENT = 600_000;

/** A transaction for one tenant in the role of the login: for data that the tenants' role can't write. */
export interface OwnerTransaction extends Pick<Transaction, 'newIds' | 'send'> {
  readonly tenantId: number;
  /** Bound to the tenant by the tenant plugin. */
  readonly kysely: Kysely<Tables & AccessTables>;
  /** The service's own tables, in the same transaction. */
  readonly system: Kysely<SystemTables>;
}

const ownerTimeouts: Timeouts = [`${OWNER_STATEMENT}`, '10000', `${OWNER_STATEMENT}`];

/** Runs `work` in a transaction of the tables' owner; `entered` is null if it sent nothing. */
export const asOwner = async <T>(
  pool: Pool,
  ids: Ids,
  tenantId: number,
  work: (transaction: OwnerTransaction) => Promise<T>,
  origin: Origin,
): Promise<{ readonly result: T; readonly entered: Entered | null }> => {
  let entered: Entered | null = null;
  const opening = {
    statements: [WRITE, ...enterOwner(tenantId, ownerTimeouts)],
    owner: tenantId,
    deadline: OWNER_STATEMENT + GRACE,
    opened(results: readonly Result[]) {
      entered = enteredOf(results.at(-1));
    },
  };
  const result = await transact(pool, opening, trips => {
    const entries = new Entries(tenantId, origin);
    trips.closing = entries;
    const send = async (statements: readonly RawStatement[]) => {
      const enter = entries.entering(statements);
      const results = await trips.send(statements);
      enter(results);
      return results;
    };
    return work({
      tenantId,
      newIds: (table, count) => ids.take({ tenantId, trips, asTenant: false }, table, count),
      send: (...statements) => send(statements),
      kysely: kyselyWithin(send, [tenantPlugin(tenantId)]),
      system: kyselyWithin(statements => trips.send(statements), []),
    });
  });
  return { result, entered };
};
