import { ApiError } from '../../../core/errors.ts';

/** A request to the internal port. */
export interface InternalRequest {
  readonly method: string;
  /** The path of the URL, without its query. */
  readonly path: string;
  /** The request target as sent: path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names and values alternating, as sent. */
  readonly rawHeaders: readonly string[];
  /** Whether the connection is encrypted. */
  readonly secure: boolean;
  /** Null: it is larger than the port takes. */
  readonly body: Uint8Array | null;
  /** IP address of the client. */
  readonly address: string;
}

/** Returns the body of a request. @throws ApiError payload_too_large (413) */
export const bodyOf = ({ body }: Pick<InternalRequest, 'body'>): Uint8Array => {
  if (body) return body;
  throw new ApiError('payload_too_large');
};

/** A response of the internal port. */
export interface InternalResponse {
  readonly status: number;
  /** Media type of the body; default: JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string or bytes are sent as they are, undefined as no body, everything else as JSON. */
  readonly body: unknown;
}

/** Responds to a request to the internal port. */
export type InternalRoute = (request: InternalRequest) => Promise<InternalResponse>;

/** Routes by method and path, such as `GET /readyz`. */
export type InternalRoutes = Readonly<Record<string, InternalRoute>>;
