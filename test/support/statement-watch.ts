import type { RawStatement } from '../../src/db/connection.ts';
import { Session } from '../../src/db/pool/session.ts';
import { standardSettings } from '../../src/db/pool/settings.ts';
import { besideRows, type Written } from './node-rules.ts';
import { type Sender, violationsOf, writesOf } from './statements.ts';

/** Violations found: statement text → description. */
export const violations = new Map<string, string>();

/** What is known of a statement. */
interface Known extends Written {
  readonly violations: readonly string[];
}

/** What administration writes together with tables of a tenant, when it makes, changes or resets one: on two nodes. */
const administered: ReadonlySet<string | undefined> = new Set(['tenants', 'tenant_hosts', 'clear_tenant']);

/** By sender and text. */
const known: Record<Sender, Map<string, Known>> = { system: new Map(), owner: new Map(), tenant: new Map() };
const reported = new Set<string>();

/** A transaction in progress. */
interface InProgress {
  sender: Sender;
  /** False: each statement is one of its own. */
  readonly isBegun: boolean;
  /** The first table of tenants that it has written, and what it has written on the coordinator. */
  tenant: string | undefined;
  coordinator: string | undefined;
}

const transactions = new WeakMap<object, InProgress>();

/** Checks every statement that the service sends during the tests, on every database. */
export const watchStatements = (): void => {
  const { send } = Session.prototype;
  Session.prototype.send = function (this: Session, statements) {
    for (const statement of statements) watch(this, statement);
    return send.call(this, statements);
  };
};

const watch = (session: object, { text, values, distributed }: RawStatement): void => {
  // Those of every new connection are for the session.
  if (text === standardSettings.text) return;
  if (/^\s*(begin|commit|rollback(?! to))/i.test(text)) transactions.delete(session);
  const isBegun = /^\s*begin/i.test(text);
  const own = transactions.get(session) ?? { sender: 'system', isBegun, tenant: undefined, coordinator: undefined };
  transactions.set(session, own);
  const { violations: found, tenant, coordinator, entering } = lookUp(text, own.sender);
  if (entering.length > 0 && !own.isBegun) report(text, `${own.sender}: ${entering} without a transaction`);
  own.tenant ??= tenant[0];
  own.coordinator ??= coordinator[0];
  // A statement whose values are all null warms a connection up, of a database that is not distributed.
  const isNotForWorkers = distributed || (values.length > 0 && values.every(value => value === null));
  const wrong = isNotForWorkers ? found.filter(what => !what.endsWith(besideRows)) : found;
  if (wrong.length > 0) report(text, `${own.sender}: ${wrong.join('; ')}`);
  const isAllowed = own.sender === 'system' || (own.sender === 'owner' && administered.has(own.coordinator));
  if (!isAllowed && own.tenant && own.coordinator && tenant.length + coordinator.length > 0)
    report(text, `${own.sender}: ${own.tenant} and ${own.coordinator} in one transaction`);
  if (text.startsWith('set local app.tenant_id')) own.sender = 'owner';
  else if (text.startsWith("select set_config('role', 'staffing_tenant'")) own.sender = 'tenant';
};

const report = (text: string, what: string): void => {
  const key = `${what} ${text}`;
  if (reported.has(key)) return;
  reported.add(key);
  if (!isOfTest()) violations.set(text, what);
};

/** Returns what is known of a statement; nothing if it cannot be parsed, since the database will reject it. */
const lookUp = (text: string, sender: Sender): Known => {
  const found = known[sender].get(text) ?? attempt(text, sender);
  known[sender].set(text, found);
  return found;
};

const attempt = (text: string, sender: Sender): Known => {
  try {
    return { violations: violationsOf(text, sender), ...writesOf(text) };
  } catch {
    return { violations: [], tenant: [], coordinator: [], entering: [] };
  }
};

/** Whether a test sends the statement directly, with no code of the service involved except src/db. */
const isOfTest = (): boolean => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const callers = stack.split('\n').filter(line => !line.includes('statement-watch.ts'));
  return callers.some(line => line.includes('/test/')) && !callers.some(line => /\/src\/(?!db\/)/.test(line));
};
