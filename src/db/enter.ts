import type { RawStatement } from './connection.ts';

/** The role that tenant transactions take: it can log in nowhere, owns nothing and is bound by row security. */
export const TENANT_ROLE = 'staffing_tenant';

/** Milliseconds. */
export interface Timeouts {
  readonly statement: number;
  readonly lock: number;
  /** Between two statements of a transaction. */
  readonly idle: number;
}

/**
 * A page read at random costs little more than the next one, as the data are in memory or on a disk without moving parts. With that,
 * what planning costs counts for enough beside what reading does, and the server keeps the plans of named statements.
 */
const settings = `set_config('random_page_cost', '1.1', true), set_config('statement_timeout', $1, true), \
set_config('lock_timeout', $2, true), set_config('idle_in_transaction_session_timeout', $3, true), \
set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true), set_config('jit', 'off', true)`;

const values = ({ statement, lock, idle }: Timeouts): string[] => [String(statement), String(lock), String(idle)];

/**
 * The statements that make a transaction one of the tenant, until it ends: nothing is set for the session, which a transaction
 * pooler may give to someone else next.
 */
export const enterTenant = (tenantId: number, timeouts: Timeouts): readonly RawStatement[] => [
  setTenant(tenantId),
  {
    name: 'enter_tenant',
    text: `select set_config('role', '${TENANT_ROLE}', true), ${settings}`,
    values: values(timeouts),
  },
];

/** The same in the role that the connection logged in as. */
export const enterOwner = (tenantId: number, timeouts: Timeouts): readonly RawStatement[] => [
  setTenant(tenantId),
  { name: 'enter_owner', text: `select ${settings}`, values: values(timeouts) },
];

/**
 * What row security compares with. A SET, which a distributed database hands on to its workers, as it does not with set_config. It takes
 * no parameters, and without a name a connection does not keep one for each tenant.
 * @throws RangeError if the id is not a positive safe integer
 */
export const setTenant = (tenantId: number): RawStatement => {
  if (!Number.isSafeInteger(tenantId) || tenantId < 1) throw new RangeError(`${tenantId} is not a tenant's id.`);
  return plain(`set local app.tenant_id = '${tenantId}'`);
};

export const plain = (text: string): RawStatement => ({ name: null, text, values: [] });
