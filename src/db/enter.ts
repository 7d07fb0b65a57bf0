import type { RawStatement } from './pool.ts';

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
const settings = `set_config('random_page_cost', '1.1', true), set_config('app.tenant_id', $1, true), set_config('statement_timeout', $2, true), \
set_config('lock_timeout', $3, true), set_config('idle_in_transaction_session_timeout', $4, true), \
set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true), set_config('jit', 'off', true)`;

const values = (tenantId: number, { statement, lock, idle }: Timeouts): string[] => [
  String(tenantId),
  String(statement),
  String(lock),
  String(idle),
];

/**
 * The statement that makes a transaction one of the tenant, until it ends: nothing is set for the session, which a transaction
 * pooler may give to someone else next.
 */
export const enterTenant = (tenantId: number, timeouts: Timeouts): RawStatement => ({
  name: 'enter_tenant',
  text: `select set_config('role', '${TENANT_ROLE}', true), ${settings}`,
  values: values(tenantId, timeouts),
});

/** The same in the role that the connection logged in as. */
export const enterOwner = (tenantId: number, timeouts: Timeouts): RawStatement => ({
  name: 'enter_owner',
  text: `select ${settings}`,
  values: values(tenantId, timeouts),
});

export const plain = (text: string): RawStatement => ({ name: null, text, values: [] });
