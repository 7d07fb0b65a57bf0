import type { Tenant } from '../core/principal.ts';
import type { RawStatement } from './connection.ts';
import type { Entered, Statement } from './database.ts';

/** The database role of tenant transactions: no login, no tables of its own, under row security. */
export const TENANT_ROLE = 'staffing_tenant';

/** Timeouts of a transaction, in milliseconds: of a statement, a lock, and between two statements. */
export type Timeouts = readonly [statement: string, lock: string, idle: string];

/**
 * `random_page_cost` is low because the data is in memory or on an SSD.
 * With it, the cost of planning weighs enough against the cost of execution for the server to keep generic plans of named statements.
 * `cpu_operator_cost` is high, so that the planner avoids nested loops whose selectivity it cannot know. If a filter on a computed field
 * keeps no record, walking all records in the order of the listing and joining each of them through indexes takes ten times as long as
 * joining whole tables. No parallel workers, so that a statement takes one process from the other tenants, and the same time whether
 * workers are free or not.
 */
const settings = `set_config('random_page_cost', '1.1', true), set_config('cpu_operator_cost', '0.01', true), \
set_config('statement_timeout', $1, true), \
set_config('lock_timeout', $2, true), set_config('idle_in_transaction_session_timeout', $3, true), \
set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true), set_config('jit', 'off', true), \
set_config('max_parallel_workers_per_gather', '0', true)`;

/**
 * Plans named statements once per connection: planning for each value takes longer than running.
 * Not on a distributed database, which finds the node of a statement by the tenant's value.
 */
const plannedOnce = `set_config('plan_cache_mode', 'force_generic_plan', true)`;

/** What `Entered` has: in the first statement that takes a snapshot. */
const present = 'pg_current_snapshot(), server_identity()';

/**
 * Returns the statements that bind a transaction to a tenant.
 * They set nothing beyond the transaction, since a transaction pooler may assign the session to another client next.
 * @param begin the statement that begins the transaction
 */
export const enterTenant = (
  { id, clockAhead }: Pick<Tenant, 'id' | 'clockAhead'>,
  timeouts: Timeouts,
  begin: RawStatement,
): readonly RawStatement[] => [
  begin,
  setTenant(id),
  ...(clockAhead === 0 ? [] : [plain(`set local app.clock_ahead = '${Number(clockAhead)} milliseconds'`)]),
  {
    name: 'enter_tenant',
    text: entering,
    values: timeouts,
    distributed: { name: 'enter_tenant', text: enteringDistributed, values: timeouts },
  },
];

const takingRole = `set_config('role', '${TENANT_ROLE}', true)`;
const entering = `select ${takingRole}, ${settings}, ${plannedOnce}, ${present}`;
const enteringDistributed = `select ${takingRole}, ${settings}, ${present}`;

/** Returns the statements that bind a transaction to a tenant in the role of the login. */
export const enterOwner = (tenantId: number, timeouts: Timeouts): readonly RawStatement[] => [
  setTenant(tenantId),
  { name: 'enter_owner', text: `select ${settings}, ${present}`, values: timeouts },
];

/** Returns the server of a transaction. @param result the last of `enterTenant` or `enterOwner` */
export const enteredOf = (result: { readonly rows: readonly (readonly (string | null)[])[] } | undefined): Entered => {
  const [snapshot, server] = result?.rows[0]?.slice(-2) ?? [];
  if (snapshot == null || server == null) throw new Error('The transaction does not know its server.');
  return { snapshot, server };
};

/** The statement that reads the same later in a transaction that does not read in one snapshot. */
export const presentStatement = { name: 'journal_present', text: `select ${present}`, values: [] };

/**
 * Returns the statement that sets the tenant for row security.
 * It uses SET LOCAL because a distributed database propagates SET to its workers, but not set_config. SET takes no parameters;
 * unnamed, so that a connection does not keep one statement for each tenant.
 * @throws RangeError if the id is not a positive safe integer
 */
export const setTenant = (tenantId: number): RawStatement => {
  if (!Number.isSafeInteger(tenantId) || tenantId < 1)
    throw new RangeError(`${tenantId} is not a tenant id: expected a positive safe integer.`);
  return plain(`set local app.tenant_id = '${tenantId}'`);
};

/** Returns an unnamed statement without values. */
export const plain = (text: string): Statement => ({ name: null, text, values: [] });

/** Returns a named statement without values. */
export const named = (name: string, text: string): Statement => ({ name, text, values: [] });

/** Returns what makes a statement of values, of which the first is the tenant's id. */
export const tenantStatement =
  (name: string | null, text: string) =>
  (tenantId: number, ...more: readonly string[]): Statement => ({ name, text, values: [String(tenantId), ...more] });

/** Begins a transaction that reads in one snapshot. */
export const READ = named('begin_read', 'begin isolation level repeatable read read only');
/** Begins any other transaction. */
export const WRITE = named('begin_write', 'begin');
export const COMMIT = named('commit', 'commit');
