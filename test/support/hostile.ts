import type { Field } from '../../src/core/resource/resource.ts';
import type { ApiResponse } from './app.ts';
import { exampleBody, type Operation, violations } from './operations.ts';

/** An invalid or unusual request. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Returns the words of a string, separated by whitespace. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const names = [
  ...words(`
    __proto__ constructor prototype toString hasOwnProperty valueOf tenant_id length
  `),
  '',
];
const parameters = words(`
    fields sort embed limit cursor count envelope callback authorization_bearer _
  `);

/** Hostile strings; they are percent-encoded in URLs. */
const texts = [
  ...words(String.raw`
    0 1 -1 -0 00 1.5 1e3 1e999 0x10 NaN Infinity -infinity today 2147483648 9007199254740993 9223372036854775808
    99999999999999999999999999999999999999 true false null -null \null undefined [] {} $1 % _ \ \\ * ** ~ ~* -~* - <
    >= <=> , ,,, -* *-* + ++id -id,-id id,id 2026-02-30 2026-13-01 0000-00-00 0000-01-01 -4713-01-01 0001-01-01
    0001-01-01T00:00:00+14:00 9999-12-31 9999-12-31T23:59:59-14:00 10000-01-01 294277-01-01 2026-03-29T02:30:00
    2026-04-01T00:00:00+99:99 2026-04-01T25:00:00Z 24:00 😀 <script>alert(1)</script> ]]> <!-- &amp; &#0;
    ../../etc/passwd file:///etc/passwd client client.id client.client.id a.b.c.d . .. .id id. constructor.name
    __proto__.id eyJhbGciOiJub25lIn0 W10 WyJ4Il0 bnVsbA alert a.b alert(1)
  `),
  '',
  ' ',
  '[object Object]',
  "' or 1=1 --",
  '"; drop table clients; --',
  '\u0001\u001f\u007f',
  'a\u0000b',
  '\u0000',
  '\r\nX-Injected: 1',
  '\u2028\u2029',
  '\ufeff',
  '\ufffe',
  '\u202e',
  'e\u0301'.repeat(50),
  'a'.repeat(3000),
  '('.repeat(500),
  ','.repeat(600),
  'x,'.repeat(300),
  ...names,
];

/** Parts of URLs with invalid or unusual percent-encoding. */
const broken = words(`
    % %f %ff %zz %00 %c0%af %ed%a0%80 %f5%80%80%80 %u0041 %25 %2 + [] [0] [a][b] & = ; %5B%5D %23 %3F
  `);

const raw = [
  ...words(String.raw`
    { } [] null 1 "x" {}{} {"a":1,"a":2} {"__proto__":{"x":1}} {"constructor":{"prototype":{}}} {"a":1e400}
    {"a":-1e400} {"a":0.1e-400} {"a":123456789012345678901234567890} {"\u0000":"\u0000"} {"a":"\ud800"}
    {"a":"\udfff\ud800"} {'a':1} {"a":NaN} {"a":undefined} {"a":1,}
  `),
  '',
  ' ',
  `${'['.repeat(200)}${']'.repeat(200)}`,
  `{"a":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
  '{"a":"\u0001"}',
  '\ufeff{}',
  `{"a":"${'x'.repeat(20_000)}"}`,
];

const headers: Readonly<Record<string, readonly string[]>> = {
  'Content-Type': [
    'text/plain',
    'application/json; charset=utf-16',
    'application/json;charset=utf-8',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    ';;;',
    'application/json, text/plain',
    'x'.repeat(2000),
  ],
  'Content-Encoding': ['gzip', 'br', 'deflate', 'gzip, gzip', 'identity', 'x', ' '],
  'Accept-Encoding': ['identity', 'gzip;q=0', '*;q=0', 'br', 'gzip;q=x', ',,,', 'gzip;q=1;q=0', 'identity;q=0'],
  'If-Match': ['*', '"x"', 'x', '""', 'W/"x"', '"', ',,,', '"a", *', '\u00ff'],
  'If-None-Match': ['*', '"x"', 'x', '""', 'W/"x"', '"', `"${'x'.repeat(5000)}"`, ','.repeat(3000)],
  'Idempotency-Key': ['', 'k', 'x'.repeat(300), '\u00ff\u00fe', '__proto__', "' or 1=1"],
  'X-HTTP-Method-Override': ['PUT', 'DELETE', 'put', 'PATCH', 'GET', '', 'x', 'PUT, DELETE', '__proto__'],
  'X-Request-Id': ['', 'x'.repeat(500), '\u00ff', '<script>', 'ok-1', '__proto__'],
  'X-Forwarded-For': ['127.0.0.1, 10.0.0.1', 'x', '::1', '999.999.999.999', ','.repeat(100)],
  Authorization: [
    '',
    'Bearer',
    'Bearer x',
    'Basic eDp5',
    'Bearer a.b.c',
    'bearer  ',
    `Bearer ${'x'.repeat(9000)}`,
    'Bearer eyJhbGciOiJub25lIn0.e30.',
  ],
  Origin: ['null', 'https://evil.test', 'x'],
  Accept: ['text/html', 'application/xml', '*/*;q=x'],
  Range: ['bytes=0-1', 'bytes=-1', 'x'],
  Cookie: ['a=b; __proto__=1'],
};

/** Generates hostile requests; the same seed yields the same requests. */
export class Hostile {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a pseudorandom number from 0 to 1 (mulberry32). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }

  #often(share: number): boolean {
    return this.#random() < share;
  }

  /** Returns a request of an operation with hostile path, query, headers and body. */
  request(operation: Operation, fields: readonly Field[], id: number): HostileRequest {
    const placeholder = () => (this.#often(0.7) ? String(id) : this.#part());
    const path = operation.path.replaceAll(/\{[^}]+\}/g, placeholder);
    const extension = this.#often(0.2) ? this.#pick(['.json', '.xml']) : '';
    const query = this.#often(0.7) ? `?${this.#query(fields)}` : '';
    const writes = operation.method === 'POST' || operation.method === 'PUT';
    const method = operation.method === 'GET' && this.#often(0.1) ? 'HEAD' : operation.method;
    return {
      method,
      path: `${path}${extension}${query}`,
      headers: this.#headers(),
      body: writes ? this.#body(operation) : undefined,
    };
  }

  /** Returns a segment of a path; without `/`, which would make it another path. */
  #part(): string {
    if (this.#often(0.2)) return this.#pick(broken).replace(/[?#]/g, '');
    const text = this.#pick(texts).slice(0, 300);
    // A plain word could be the path of another operation.
    return encodeURIComponent(/^[a-z.]*$/.test(text) ? `x${text}` : text);
  }

  #query(fields: readonly Field[]): string {
    const count = this.#often(0.05) ? 400 : 1 + Math.floor(this.#random() * 4);
    return Array.from({ length: count }, () => `${this.#name(fields)}=${this.#value()}`)
      .join('&')
      .slice(0, this.#often(0.95) ? 7000 : 9000);
  }

  #name(fields: readonly Field[]): string {
    const roll = this.#random();
    const name = roll < 0.5 ? this.#pick(fields)?.name : roll < 0.85 ? this.#pick(parameters) : this.#pick(names);
    return encodeURIComponent(name ?? 'id') + (this.#often(0.15) ? this.#pick(['[]', '%5B%5D', ...broken]) : '');
  }

  #value(): string {
    if (this.#often(0.1)) return this.#pick(broken);
    const operator = this.#often(0.3) ? this.#pick(['-', '~', '*', '<', '>', '<=', '>=', '-~', '-*']) : '';
    const values = Array.from({ length: this.#often(0.2) ? 3 : 1 }, () => operator + this.#pick(texts));
    return encodeURIComponent(values.join(','));
  }

  #headers(): Record<string, string> {
    const chosen = Object.entries(headers).filter(([name]) => this.#often(name === 'Authorization' ? 0.02 : 0.06));
    return Object.fromEntries(chosen.map(([name, values]) => [name, this.#pick(values)]));
  }

  #body(operation: Operation): string {
    if (this.#often(0.2)) return this.#pick(raw);
    const body = Object.entries(exampleOf(operation)).map(([name, value]): [string, unknown] => [
      this.#often(0.05) ? this.#pick(names) : name,
      this.#often(0.3) ? this.#json(3) : value,
    ]);
    while (this.#often(0.3)) body.push([this.#pick([...names, ...texts]), this.#json(3)]);
    const members = body.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`);
    return `{${[...new Map(members.map(member => [member.slice(0, member.indexOf(':')), member])).values()].join(',')}}`;
  }

  #json(depth: number): unknown {
    const roll = this.#random();
    if (roll < 0.4) return this.#pick(texts);
    if (roll < 0.7)
      return this.#pick([
        null,
        true,
        false,
        0,
        1,
        -1,
        -0,
        1.5,
        2 ** 31,
        2 ** 53,
        2 ** 63,
        1e300,
        -1e300,
        1e-300,
        0.1 + 0.2,
      ]);
    if (depth === 0) return [];
    const items = Array.from({ length: Math.floor(this.#random() * 4) }, () => this.#json(depth - 1));
    return roll < 0.85 ? items : Object.fromEntries(items.map(item => [this.#pick([...names, 'a', 'id']), item]));
  }
}

/** Returns the example body of an operation; empty for operations without an example. */
const exampleOf = (operation: Operation): Readonly<Record<string, unknown>> => {
  try {
    return exampleBody(operation);
  } catch {
    return {};
  }
};

/** Returns what is wrong with a response to a hostile request: an internal error, or one that is not documented. */
export const hostileProblems = (operation: Operation, response: ApiResponse): readonly string[] => {
  const { status, text, headers, body } = response;
  if (status === 500) return ['an internal error'];
  if (text === '' && status !== 204)
    return status === 304 || String(status) in operation.responses ? [] : [`the status ${status} is not documented`];
  if (!headers['content-type']?.startsWith('application/json') && text !== '')
    return text.includes('internal_error') ? ['an internal error'] : [];
  const enveloped = status === 200 && body !== null && Object.hasOwn(body, 'status_code');
  const shown = enveloped ? body.status_code : status;
  return shown === 304 ? [] : violations(operation, shown, enveloped ? body.response : body);
};
