import { refer } from '../refer.ts';
import type { Perform, RequestStep, Result } from '../step.ts';
import type { Operation } from './document.ts';

export const root = '/api/v1';

/** Who sends a request: references to their tokens, and their hosts. */
export interface Users {
  readonly demo: string;
  readonly reader: string;
  readonly bare: string;
}

/** A request of the plan: what is left out is a GET of an API user who may do everything. */
export interface Request {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly port?: RequestStep['port'];
  readonly gzip?: boolean;
}

export interface Sent {
  readonly number: number;
  readonly result: Result;
}

/** Where the records lie that a path with parameters is tried with. */
export type Places = Readonly<Record<string, string>>;

/** What each part of the plan works with. */
export interface Plan {
  readonly operations: readonly Operation[];
  readonly users: Users;
  readonly send: (operation: string, purpose: string, request: Request) => Promise<Sent>;
  /** Values for the parameters of an operation's path (and `value_id` in its query): one set for each kind of record. */
  readonly places: (operation: Operation) => Promise<readonly Places[]>;
  /** A reference to the id of a listing's first record, if it has one; each listing is asked once. */
  readonly first: (listing: string) => Promise<string | undefined>;
}

/** Sends requests with the headers that all have in common; a header set to null is left out, a string is a body as it is. */
export const sender =
  (perform: Perform, users: Users): Plan['send'] =>
  async (operation, purpose, { method = 'GET', target, headers = {}, body, port = 'api', gzip = false }) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : print(body);
    const all: Record<string, string | null> = {
      Host: 'demo.localhost',
      Authorization: `Bearer ${users.demo}`,
      'Accept-Encoding': 'gzip',
      'X-Request-Id': 'witness',
      ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
      ...headers,
    };
    return perform({
      kind: 'request',
      operation,
      purpose,
      port,
      method,
      target: target.startsWith('/') ? target : `/${target}`,
      headers: Object.fromEntries(
        Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
      ),
      ...(text === undefined ? {} : { body: text }),
      ...(gzip ? { gzip } : {}),
    });
  };

/** JSON in which references stand without quotation marks: they are numbers. */
const print = (body: unknown): string => JSON.stringify(body).replace(/"(\{\{[^"}]+\}\})"/g, '$1');

/** An operation's path at a place, with the query parameters that it must have. */
export const targetOf = ({ path, required }: Operation, place: Places, query: readonly string[] = []): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => place[name] ?? '1');
  const pairs = [...required.map(name => `${name}=${place[name] ?? '1'}`), ...query];
  return `${root}${filled}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
};

/** A reference to a field of a record in a listing. */
export const itemOf = (sent: Sent, index: number, field: string): string =>
  refer(sent.number, `body:/${index}/${field}`);
