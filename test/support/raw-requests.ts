import { bodyFor, type Operation, pathOf } from './operations.ts';

/** A request as bytes, and a description of what is wrong with it. */
export interface RawRequest {
  readonly label: string;
  readonly bytes: Buffer;
}

/** The parts of a request that a case modifies, in Latin-1, so that each character is one byte. */
interface Parts {
  line: string;
  headers: string[];
  body: string;
}

type Change = (parts: Parts) => void;

const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';
const smuggled = 'GET /api/v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

const add =
  (...headers: string[]): Change =>
  parts =>
    void parts.headers.push(...headers);
const target =
  (change: (target: string) => string): Change =>
  parts => {
    const [method = '', path = '', version = ''] = parts.line.split(' ');
    parts.line = `${method} ${change(path)} ${version}`;
  };
const line =
  (change: (line: string) => string): Change =>
  parts => {
    parts.line = change(parts.line);
  };
/** Replaces the body and its Content-Length by other headers and body. */
const framed =
  (headers: readonly string[], body: string): Change =>
  parts => {
    parts.headers = [...parts.headers.filter(header => !header.startsWith('Content-Length')), ...headers];
    parts.body = body;
  };

const changes: readonly (readonly [label: string, change: Change])[] = [
  ['broken escapes in the path', target(path => `${path}%ff`)],
  ['half an escape', target(path => `${path}%`)],
  ['a NUL escape', target(path => `${path}%00`)],
  ['broken escapes in the query', target(path => `${path}?a=%ff&%fe=%c0%af&id=%ed%a0%80`)],
  ['raw bytes beyond ASCII', target(path => `${path}?company=\xff\xfe\xc0\xaf`)],
  ['raw UTF-8', target(path => `${path}?company=\xc3\xa4`)],
  ['a raw control character', target(path => `${path}\x01\x7f`)],
  ['a raw NUL', target(path => `${path}\0`)],
  ['a blank in the path', target(path => `${path} x`)],
  ['a tabulator', target(path => `${path}\t`)],
  ['a fragment', target(path => `${path}#x`)],
  ['backslashes', target(path => path.replaceAll('/', '\\'))],
  ['two slashes', target(path => `/${path}`)],
  ['dots', target(path => `/api/v1/x/..${path.slice(7)}`)],
  ['encoded slashes', target(path => path.replace('/api/v1/', '/api/v1%2f'))],
  ['a semicolon', target(path => `${path};x=1`)],
  ['no path', target(() => '')],
  ['an asterisk', target(() => '*')],
  ['another authority', target(path => `http://evil.test${path}`)],
  ['a user in the authority', target(path => `http://a:b@evil.test${path}`)],
  ['a long address', target(path => `${path}?a=${'x'.repeat(9000)}`)],
  ['a method in small letters', line(text => text.toLowerCase())],
  ['a method that no one knows', line(text => text.replace(/^\w+/, 'FROB'))],
  ['a method of another protocol', line(text => text.replace(/^\w+/, 'PRI'))],
  ['TRACE', line(text => text.replace(/^\w+/, 'TRACE'))],
  ['CONNECT', line(text => text.replace(/^\w+/, 'CONNECT'))],
  ['no version', line(text => text.replace(/ HTTP.*/, ''))],
  ['another version', line(text => text.replace('1.1', '9.9'))],
  ['HTTP/1.0', line(text => text.replace('1.1', '1.0'))],
  ['two hosts', add('Host: evil.test')],
  ['a header without a name', add(': x')],
  ['a header without a colon', add('Nonsense')],
  ['a folded header', add('X: a\r\n b')],
  ['a blank before the colon', add('X : a')],
  ['a NUL in a header', add('X: a\0b')],
  ['a control character in a header', add('X-Request-Id: a\x01b')],
  ['bytes beyond ASCII in headers', add('X-Request-Id: \xff', 'If-None-Match: "\xff"', 'Idempotency-Key: \xff')],
  ['a carriage return in a header', add('X: a\rb')],
  ['a huge header', add(`X: ${'x'.repeat(100_000)}`)],
  ['many headers', add(...Array.from({ length: 3000 }, (_, index) => `X-${index}: 1`))],
  ['a prototype name as a header', add('__proto__: x', 'constructor: y', 'toString: z')],
  ['an upgrade', add('Connection: upgrade', 'Upgrade: websocket')],
  ['an expectation', add('Expect: the-impossible')],
  ['a trailer announced', add('Trailer: X', 'TE: trailers')],
  ['two tokens', add('Authorization: Bearer x')],
  ['a length and chunks', framed([json, 'Content-Length: 6', chunked], `0\r\n\r\n${smuggled}`)],
  ['chunks and a length', framed([json, chunked, 'Content-Length: 6'], `0\r\n\r\n${smuggled}`)],
  ['two lengths', framed([json, 'Content-Length: 2', 'Content-Length: 60'], `{}${smuggled}`)],
  ['a list of lengths', framed([json, 'Content-Length: 2, 60'], `{}${smuggled}`)],
  ['a signed length', framed([json, 'Content-Length: +2'], `{}${smuggled}`)],
  ['a negative length', framed([json, 'Content-Length: -1'], '{}')],
  ['a length in hexadecimal digits', framed([json, 'Content-Length: 0x2'], '{}')],
  ['an endless length', framed([json, 'Content-Length: 99999999999999999999'], '{}')],
  ['an unknown transfer coding', framed([json, 'Transfer-Encoding: xchunked'], `2\r\n{}\r\n0\r\n\r\n${smuggled}`)],
  ['chunks within chunks', framed([json, 'Transfer-Encoding: chunked, chunked'], '2\r\n{}\r\n0\r\n\r\n')],
  [
    'a disguised transfer coding',
    framed([json, 'Transfer-Encoding:\x0bchunked', 'Content-Length: 2'], `{}${smuggled}`),
  ],
  ['a chunk without a size', framed([json, chunked], 'zz\r\n{}\r\n0\r\n\r\n')],
  ['a chunk of a huge size', framed([json, chunked], 'FFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n')],
  ['a chunk longer than told', framed([json, chunked], `1\r\n{}\r\n0\r\n\r\n${smuggled}`)],
  ['a chunk with a huge extension', framed([json, chunked], `2;${'x'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['chunks without an end', framed([json, chunked], '2\r\n{}\r\n')],
  ['half a body', framed([json, 'Content-Length: 100'], '{"a":')],
  ['more than the body', framed([json, 'Content-Length: 2'], `{}${smuggled}`)],
  ['bytes that are not UTF-8', framed([json, 'Content-Length: 9'], '{"a":"\xff"}')],
  ['what calls itself gzip', framed([json, 'Content-Encoding: gzip', 'Content-Length: 2'], '{}')],
];

/** Where the requests are sent, and the token that they carry. */
export interface RawTarget {
  readonly host: string;
  readonly token: string;
}

/** Returns requests of an operation that a client library would not send, one of each kind. */
export const rawRequests = (operation: Operation, target: RawTarget, id: number): readonly RawRequest[] =>
  changes.map(([label, change]) => {
    const parts = partsOf(operation, target, id);
    change(parts);
    return { label, bytes: bytesOf(parts) };
  });

/** Returns valid requests with one to three bytes changed; `random` returns numbers from 0 to 1. */
export const flippedRequests = (
  operation: Operation,
  target: RawTarget,
  id: number,
  count: number,
  random: () => number,
): readonly RawRequest[] =>
  Array.from({ length: count }, () => {
    const bytes = bytesOf(partsOf(operation, target, id));
    const flips = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const [index, value] = [Math.floor(random() * bytes.length), Math.floor(random() * 256)];
      bytes[index] = value;
      return `${index}=${value}`;
    });
    return { label: flips.join(' '), bytes };
  });

const partsOf = (operation: Operation, { host, token }: RawTarget, id: number): Parts => {
  const writes = operation.method === 'POST' || operation.method === 'PUT';
  const content = writes && !operation.raw ? (JSON.stringify(bodyFor(operation, id)) ?? '') : null;
  const body = content ?? (writes ? 'bytes' : '');
  return {
    line: `${operation.method} /api/v1${pathOf(operation, id)} HTTP/1.1`,
    headers: [
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      'X-Forwarded-Proto: https',
      'Accept-Encoding: identity',
      'Connection: close',
      ...(writes ? [json, `Content-Length: ${Buffer.byteLength(body)}`] : []),
    ],
    body: Buffer.from(body).toString('latin1'),
  };
};

const bytesOf = ({ line, headers, body }: Parts): Buffer =>
  Buffer.from(`${line}\r\n${headers.join('\r\n')}\r\n\r\n${body}`, 'latin1');
