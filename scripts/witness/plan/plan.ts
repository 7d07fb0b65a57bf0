import { refer } from '../refer.ts';
import type { PerformStep, RequestStep, StepResult } from '../step.ts';
import type { PlannedOperation } from './document.ts';

export const root = '/api/v1';

/** References to the tokens of the API users. */
export interface Users {
  readonly demo: string;
  readonly reader: string;
  readonly bare: string;
}

/** A request of the plan; by default a GET by an API user with full access. */
export interface Request {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly port?: RequestStep['port'];
  readonly gzip?: boolean;
}

export interface SentRequest {
  readonly number: number;
  readonly result: StepResult;
}

/** Values for path parameters. */
export type Places = Readonly<Record<string, string>>;

/** The context of each part of the plan. */
export interface WitnessPlan {
  readonly operations: readonly PlannedOperation[];
  readonly users: Users;
  readonly send: (operation: string, purpose: string, request: Request) => Promise<SentRequest>;
  /**
   * Values for the path parameters of an operation: one set for each kind of record.
   * They are also those of `value_id` in its query.
   */
  readonly places: (operation: PlannedOperation) => Promise<readonly Places[]>;
  /** Returns a reference to the id of a listing's first record, if any; each listing is requested once. */
  readonly first: (listing: string) => Promise<string | undefined>;
}

/**
 * Returns a function that sends requests with the common headers.
 * Null removes a header, a string body is sent unchanged.
 */
export const sender =
  (perform: PerformStep, users: Users): WitnessPlan['send'] =>
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

/** Formats JSON with unquoted references, since they stand for numbers. */
const print = (body: unknown): string => JSON.stringify(body).replace(/"(\{\{[^"}]+\}\})"/g, '$1');

/** Returns the path of an operation with its parameters filled in and the required query parameters. */
export const targetOf = (
  { path, required }: PlannedOperation,
  place: Places,
  query: readonly string[] = [],
): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => place[name] ?? '1');
  const pairs = [...required.map(name => `${name}=${place[name] ?? '1'}`), ...query];
  return `${root}${filled}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
};

/** Returns a reference to a field of a record in a listing. */
export const itemOf = (sent: SentRequest, index: number, field: string): string =>
  refer(sent.number, `body:/${index}/${field}`);
