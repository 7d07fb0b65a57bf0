import type { Parameter, Self } from '../../core/call/parameter.ts';
import type { ApiError } from '../../core/errors.ts';
import type { Format } from '../response/formats.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | (string & {});

/** What the request line and headers ask for, before anything else is known. Made by `negotiate`, pure and total. */
export interface Wire {
  /** The effective method: X-HTTP-Method-Override has been applied. */
  readonly method: Method;
  /** The path relative to /api/v1, decoded by no one yet, without the format's extension: `/clients/7`. Empty: outside of it. */
  readonly path: string;
  readonly format: Format;
  readonly envelope: boolean;
  readonly callback: string | null;
  /** The bearer token, of the header or (JSONP only) of the query. */
  readonly token: string | null;
  /** Parameters of the operation: those of the wire itself (envelope, callback, authorization_bearer) are taken out. */
  readonly parameters: readonly Parameter[];
  /** The address as it was asked for, without the token: what a link to another page of the same listing repeats. */
  readonly self: Self;
  /** What is wrong with the override or the callback; thrown once the tenant is known. */
  readonly problem: ApiError | null;
}
