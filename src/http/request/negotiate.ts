import type { IncomingHttpHeaders } from 'node:http';
import { listingFormats, responseFormats } from '../../../generated/formats.ts';
import type { HttpParameter } from '../../../generated/parameters.ts';
import type { Parameter } from '../../core/call/parameter.ts';
import { ApiError, type ErrorCode } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import type { Format } from '../response/formats.ts';
import { parseQueryString } from './query-string.ts';
import type { HttpMethod, Wire } from './wire.ts';

/** The parts of a request that negotiation reads. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** All values of each header; undefined: no header is repeated. */
  readonly headersDistinct?: NodeJS.Dict<string[]>;
}

/**
 * Returns the request line and headers as a Wire. Pure, never throws: errors are in `problem`.
 * See docs/decisions.md, "Requests".
 */
export const negotiate = ({ method: sent = 'GET', url = '/', headers, headersDistinct }: RequestHead): Wire => {
  const { whole, path, format, query } = readTarget(url);
  const all = parseQueryString(query);
  const override = readOverride(sent, headers['x-http-method-override']);
  const jsonp = readCallback(all ?? [], sent, format);
  const enveloping = readEnvelope(jsonp.rest, format);
  return {
    method: override.method,
    path,
    format,
    envelope: enveloping.envelope || jsonp.callback !== null,
    callback: jsonp.callback,
    token: readBearer(headers.authorization) ?? jsonp.token,
    parameters: enveloping.rest,
    self: { path: whole, parameters: (all ?? []).filter(([name]) => !omittedInLinks.has(name)) },
    problem:
      override.problem ??
      jsonp.problem ??
      (all ? enveloping.problem : problem('invalid_parameter', 'The query string is not percent-encoded UTF-8.')) ??
      tokenProblem(jsonp.token, headersDistinct?.authorization ?? [headers.authorization ?? []].flat()),
  };
};

const ofResponses = Object.entries(responseFormats).map(
  ([name, format]): Format => ({ name, listing: format, response: format, forListings: false }),
);
/** The format of a path without an extension. */
const usual = ofResponses[0] as Format;
const ofListings = Object.entries(listingFormats).map(
  ([name, listing]): Format => ({ ...usual, name, listing, forListings: true }),
);
const formats = new Map([...ofResponses, ...ofListings].map(format => [format.name, format]));

/** Splits a request target, in origin form (`/path?query`) or absolute form, into its parts. */
const readTarget = (target: string) => {
  const [, rest = ''] = /^https?:\/\/[^/?]*(.*)$/is.exec(target) ?? [target, target];
  const [whole = ''] = rest.split('?', 1);
  const query = rest.slice(whole.length + 1);
  // `/api/v1/clients` → `/clients`; a path outside the API → ``.
  const below = whole.startsWith(`${root}/`) ? whole.slice(root.length) : '';
  const path = whole === root ? '/' : below;
  const dot = path.lastIndexOf('.');
  const format = dot < 0 ? undefined : formats.get(path.slice(dot + 1));
  return format ? { whole, path: path.slice(0, dot), format, query } : { whole, path, format: usual, query };
};

/** Parameters that links leave out. */
const omittedInLinks = new Set(['authorization_bearer', '_']);

const problem = (code: ErrorCode, message?: string): ApiError =>
  new ApiError(code, message === undefined ? {} : { message });

const readOverride = (
  method: string,
  value: string | string[] | undefined,
): { readonly method: HttpMethod; readonly problem: ApiError | null } => {
  if (value === undefined) return { method, problem: null };
  const wanted = String(value).trim().toUpperCase();
  if (method === 'POST' && (wanted === 'PUT' || wanted === 'DELETE')) return { method: wanted, problem: null };
  return { method, problem: problem('invalid_method_override') };
};

interface Jsonp {
  readonly callback: string | null;
  readonly token: string | null;
  readonly problem: ApiError | null;
  /** The remaining parameters. */
  readonly rest: readonly Parameter[];
}

/** Takes a parameter out of a list; one in brackets is left there. */
const take = (all: readonly Parameter[], name: HttpParameter) => {
  const values: string[] = [];
  const rest: Parameter[] = [];
  let isBracketed = false;
  for (const parameter of all) {
    if (parameter[0] === name) values.push(parameter[1]);
    else rest.push(parameter);
    isBracketed ||= parameter[0] === `${name}[]`;
  }
  return { values, rest, isBracketed };
};

const callbackPattern = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;

const readCallback = (all: readonly Parameter[], method: string, format: Format): Jsonp => {
  const { values: callbacks, rest: others } = take(all, 'callback');
  if (callbacks.length === 0) return { callback: null, token: null, problem: null, rest: all };
  const [callback = ''] = callbacks;
  const rest = others.filter(([name]) => name !== '_');
  const valid = callbacks.length === 1 && callback.length <= 128 && callbackPattern.test(callback);
  if (!valid || method !== 'GET' || format.forListings || !format.response.script)
    return { callback: null, token: null, problem: problem('invalid_callback'), rest };
  const { values: tokens, rest: own } = take(rest, 'authorization_bearer');
  return {
    callback,
    token: tokens.length === 1 ? tokens[0] || null : null,
    problem: tokens.length > 1 ? problem('invalid_parameter', 'authorization_bearer is given more than once.') : null,
    rest: own,
  };
};

const booleans: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

const readEnvelope = (
  all: readonly Parameter[],
  format: Format,
): { readonly envelope: boolean; readonly problem: ApiError | null; readonly rest: readonly Parameter[] } => {
  const { values: given, rest, isBracketed } = take(all, 'envelope');
  if (given.length === 0 && !isBracketed) return { envelope: false, problem: null, rest: all };
  const value = given.length === 1 && !isBracketed ? given[0] : undefined;
  const envelope = value !== undefined && Object.hasOwn(booleans, value) ? booleans[value] : undefined;
  return {
    envelope: envelope === true && !format.forListings,
    problem: envelopeProblem(envelope, format),
    rest,
  };
};

const envelopeProblem = (envelope: boolean | undefined, format: Format): ApiError | null => {
  if (envelope === undefined)
    return problem('invalid_parameter', 'envelope must be true or false, and given once, without brackets.');
  if (!envelope || !format.forListings) return null;
  return problem('invalid_parameter', `The format .${format.name} has no envelope: omit the parameter envelope.`);
};

/** Rejects a request with two tokens: which one is meant, its parts might decide differently. */
const tokenProblem = (inUrl: string | null, inHeaders: readonly string[]): ApiError | null => {
  if (inHeaders.length > 1)
    return problem('invalid_parameter', 'The request must have at most one Authorization header.');
  if (inUrl === null || inHeaders.length === 0) return null;
  return problem(
    'invalid_parameter',
    'The token must be sent either in the Authorization header or in the URL, not in both.',
  );
};

const readBearer = (header: string | undefined): string | null => {
  const [, token = ''] = /^bearer[ \t]+([^ \t].*)?$/i.exec(header ?? '') ?? [];
  return token.trim() || null;
};
