import type { IncomingHttpHeaders } from 'node:http';
import { type Content, mismatches, type Parameter, type PathOperation, type Response, resolve } from './document.ts';

/** A response without its envelope. */
export interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as a string, decompressed. */
  readonly text: string;
}

/**
 * Headers that are no part of an operation's contract: those of the connection and of HTTP's own mechanisms (RFC 9110), of CORS, and of
 * browsers' security.
 */
const general =
  /^(date|connection|keep-alive|transfer-encoding|content-(length|encoding|type)|vary|cache-control|accept-encoding|access-control-.*|content-security-policy|cross-origin-resource-policy|referrer-policy|strict-transport-security|x-content-type-options|x-frame-options)$/;

/** Returns how a response differs from what its operation documents. */
export const responseProblems = (
  { responses }: PathOperation,
  { status, headers, text }: Shown,
  { isHead, isEnveloped }: { readonly isHead: boolean; readonly isEnveloped: boolean },
): readonly string[] => {
  const documented = responses[status];
  if (!documented) return [`the status ${status} is not documented`];
  const response = resolve<Response>(documented);
  return [
    ...headerProblems(response, headers, isEnveloped),
    ...(isHead ? [] : bodyProblems(response, headers['content-type'], text)),
  ];
};

const headerProblems = (
  { headers: declared = {} }: Response,
  headers: Shown['headers'],
  isEnveloped: boolean,
): readonly string[] => {
  const known = new Map(Object.entries(declared).map(([name, header]) => [name.toLowerCase(), header]));
  const undeclared = Object.keys(headers).filter(name => !known.has(name) && !general.test(name));
  const wrong = [...known].flatMap(([name, header]) => {
    const { required, schema } = resolve<Parameter>(header);
    const value = headers[name];
    if (value === undefined) return required && !isEnveloped ? [`the header ${name} is missing`] : [];
    return textMismatches(schema, value).map(problem => `the header ${name}: ${problem}`);
  });
  return [...undeclared.map(name => `the header ${name} is not documented`), ...wrong];
};

const bodyProblems = ({ content }: Response, type: string | undefined, text: string): readonly string[] => {
  if (!content) return text === '' ? [] : ['a body is not documented'];
  const mediaType = type?.split(';')[0] ?? '';
  const found = content[mediaType] ?? content['*/*'];
  if (!found) return [`the content type ${mediaType} is not documented`];
  return mediaType === 'application/json' ? jsonProblems(found, text) : [];
};

const jsonProblems = ({ schema }: Content, text: string): readonly string[] =>
  schema ? mismatches(schema, JSON.parse(text)).map(problem => `the body: ${problem}`) : [];

/** Returns how a string, such as a header or a query parameter, differs from a schema: none if one of its readings matches. */
export const textMismatches = (schema: Parameter['schema'], text: string): readonly string[] => {
  const readings = [text, ...(/^-?\d+(\.\d+)?$/.test(text) ? [Number(text)] : [])];
  if (text === 'true' || text === 'false') readings.push(text === 'true' ? 1 : 0);
  const found = readings.map(reading => mismatches(schema, reading));
  return found.some(problems => problems.length === 0) ? [] : (found[0] ?? []);
};

/** Returns a response's headers as strings. */
export const plainHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
