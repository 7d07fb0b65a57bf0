/** A request to the internal port. */
export interface InternalRequest {
  readonly method: string;
  /** The path of the URL, without its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** IP address of the client. */
  readonly address: string;
}

/** A response of the internal port. */
export interface InternalResponse {
  readonly status: number;
  /** Media type of the body; default: JSON. */
  readonly type?: string;
  /** A string is sent as it is, everything else as JSON. */
  readonly body: unknown;
}

/** Responds to a request to the internal port. */
export type InternalRoute = (request: InternalRequest) => Promise<InternalResponse>;

/** Routes by method and path, such as `GET /readyz`. */
export type InternalRoutes = Readonly<Record<string, InternalRoute>>;
