import type { Parameter, Self } from '../../core/call/parameter.ts';
import type { ApiError } from '../../core/errors.ts';
import type { Format } from '../response/formats.ts';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | (string & {});

/** What the request line and headers ask for, as parsed by `negotiate`. */
export interface Wire {
  /** The effective method: X-HTTP-Method-Override has been applied. */
  readonly method: HttpMethod;
  /** The encoded path below /api/v1 without the format's extension: `/clients/7`. Empty elsewhere. */
  readonly path: string;
  readonly format: Format;
  readonly envelope: boolean;
  readonly callback: string | null;
  /** The bearer token, from the header or (JSONP only) from the query string. */
  readonly token: string | null;
  /** The operation's parameters, without envelope, callback and authorization_bearer. */
  readonly parameters: readonly Parameter[];
  /** The requested URL without the token, as links to other pages of the same listing repeat it. */
  readonly self: Self;
  /** The first error found in the request line and headers; thrown once the tenant is known. */
  readonly problem: ApiError | null;
}
