import { Session } from '../../src/db/pool/session.ts';
import { type Sender, violationsOf } from './statements.ts';

/** Violations found: statement text → description. */
export const violations = new Map<string, string>();

const checked = new Set<string>();

/** The kind of transaction that each session is in. */
const senders = new WeakMap<object, Sender>();

/** Checks every statement that the service sends during the tests, on every database. */
export const watchStatements = (): void => {
  const { send } = Session.prototype;
  Session.prototype.send = function (this: Session, statements) {
    for (const { text } of statements) watch(this, text);
    return send.call(this, statements);
  };
};

const watch = (session: object, text: string): void => {
  if (/^\s*(begin|commit|rollback(?! to))/i.test(text)) senders.delete(session);
  const sender = senders.get(session) ?? 'system';
  const key = `${sender} ${text}`;
  if (!checked.has(key)) {
    checked.add(key);
    const found = attempt(text, sender);
    if (found.length > 0 && !isOfTest()) violations.set(text, `${sender}: ${found.join('; ')}`);
  }
  if (text.startsWith('set local app.tenant_id')) senders.set(session, 'owner');
  else if (text.startsWith("select set_config('role', 'staffing_tenant'")) senders.set(session, 'tenant');
};

/** Returns the violations of a statement; none if it cannot be parsed, since the database will reject it. */
const attempt = (text: string, sender: Sender): readonly string[] => {
  try {
    return violationsOf(text, sender);
  } catch {
    return [];
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
