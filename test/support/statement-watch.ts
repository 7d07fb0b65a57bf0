import pg from 'pg';
import { type Sender, violationsOf } from './statements.ts';

/** What was found, by text: each statement with what is wrong with it. */
export const violations = new Map<string, string>();

const checked = new Set<string>();

/** In which transaction a connection is. */
const senders = new WeakMap<object, Sender>();

/** Checks each statement that the service sends in the tests, on whichever database. */
export const watchStatements = (): void => {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { readonly text?: string }];
    const text = typeof statement === 'string' ? statement : statement?.text;
    if (text !== undefined) watch(this, text);
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  } as typeof query;
};

const watch = (client: object, text: string): void => {
  if (/^\s*(begin|commit|rollback(?! to))/i.test(text)) senders.delete(client);
  const sender = senders.get(client) ?? 'system';
  const key = `${sender} ${text}`;
  if (!checked.has(key)) {
    checked.add(key);
    const found = attempt(text, sender);
    if (found.length > 0 && !isOfTest()) violations.set(text, `${sender}: ${found.join('; ')}`);
  }
  if (text.startsWith('set local app.tenant_id')) senders.set(client, 'owner');
  else if (text.startsWith("select set_config('role', 'staffing_tenant'")) senders.set(client, 'tenant');
};

/** What does not parse is for the database to reject. */
const attempt = (text: string, sender: Sender): readonly string[] => {
  try {
    return violationsOf(text, sender);
  } catch {
    return [];
  }
};

/** Whether a test sends the statement itself, through nothing but the database's own folder. */
const isOfTest = (): boolean => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const callers = stack.split('\n').filter(line => !line.includes('statement-watch.ts'));
  return callers.some(line => line.includes('/test/')) && !callers.some(line => /\/src\/(?!db\/)/.test(line));
};
