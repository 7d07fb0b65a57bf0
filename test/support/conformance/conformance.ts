import type { ApiResponse, Asked } from '../app.ts';
import { findOperation } from './find.ts';
import { requestProblems } from './request.ts';
import { plainHeaders, responseProblems, type Shown } from './response.ts';

/**
 * Returns how an exchange contradicts the published document: its response (status, headers, content type, body) and, if it succeeded, its
 * request (parameters, headers, body). Exchanges of no operation, such as 404 and OPTIONS, are not described by the document.
 */
export const contradictions = (
  method: string,
  target: string,
  { headers = {}, body }: Asked,
  received: ApiResponse,
): readonly string[] => {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const found = findOperation(sent['x-http-method-override']?.toUpperCase() ?? method, path);
  if (!found || isUnrouted(received)) return [];
  const shown = unwrap(received, new URLSearchParams(query));
  if (!shown) return [];
  const { isEnveloped, ...response } = shown;
  const problems = responseProblems(found.operation, response, { isHead: method === 'HEAD', isEnveloped });
  const succeeded = response.status < 300 || response.status === 304;
  const asked = succeeded ? requestProblems(found, { query, headers: sent, body: parse(body) }) : [];
  return [...problems, ...asked].map(problem => `${found.operation.operationId} ${response.status}: ${problem}`);
};

/** Whether the response is one to a request that reached no operation: another host, method or format. */
const isUnrouted = ({ status, body }: ApiResponse): boolean =>
  (status === 405 && body?.code === 'method_not_allowed') || body?.code === 'invalid_method_override';

/** Returns the response without its envelope; null for an envelope in XML. */
const unwrap = (
  { status, headers, text }: ApiResponse,
  given: URLSearchParams,
): (Shown & { readonly isEnveloped: boolean }) | null => {
  const own = plainHeaders(headers);
  const isEnveloped = (/^(true|1)$/.test(given.get('envelope') ?? '') || given.has('callback')) && status === 200;
  if (!isEnveloped || text === '') return { status, headers: own, text, isEnveloped };
  if (/xml/.test(own['content-type'] ?? '')) return null;
  const { status_code, response, ...members } = JSON.parse(/^\/\*\*\/[^(]+\((.*)\);$/s.exec(text)?.[1] ?? text);
  const inner = Object.entries(members).map(([name, value]) => [name.replaceAll('_', '-'), String(value)]);
  return {
    status: status_code,
    headers: Object.fromEntries(inner),
    text: response === null ? '' : JSON.stringify(response),
    isEnveloped,
  };
};

/** Returns a request's JSON body; undefined if it is none. */
const parse = (body: unknown): unknown => {
  if (typeof body !== 'string') return body instanceof Object && body.constructor === Object ? body : undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};
