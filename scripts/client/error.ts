import type { components } from '../../generated/client.ts';

type ErrorBody = components['schemas']['Error'] & { readonly errors?: readonly components['schemas']['FieldError'][] };

/** A response that is an error, after all attempts. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The status: 422. */
  readonly status: number;
  /**
   * The machine-readable code: `validation_failed`.
   * Null if the response is not one of the API, such as a proxy's.
   */
  readonly code: ErrorBody['code'] | null;
  /** What to do. */
  readonly description: string | null;
  /** The URL of the code's entry in the error catalogue. */
  readonly documentationUrl: string | null;
  /** The rejected fields of the body (422). */
  readonly errors: readonly components['schemas']['FieldError'][];
  /** The id of the request in the logs of the service. */
  readonly requestId: string | null;
  readonly response: Response;

  constructor(method: string, url: string, response: Response, body: Partial<ErrorBody> | null) {
    super(`${method} ${url}: ${response.status} ${body?.message ?? response.statusText}${listed(body?.errors)}`);
    this.status = response.status;
    this.code = body?.code ?? null;
    this.description = (body?.description as string | undefined) ?? null;
    this.documentationUrl = resolved(body?.documentation_url, url);
    this.errors = body?.errors ?? [];
    this.requestId = response.headers.get('x-request-id');
    this.response = response;
  }
}

/** Returns a URL relative to that of the response; null if there is none, as from a proxy. */
const resolved = (relative: unknown, url: string): string | null =>
  typeof relative === 'string' && URL.canParse(relative, url) ? new URL(relative, url).href : null;

const listed = (errors: ErrorBody['errors'] = []): string =>
  errors.length > 0 ? ` (${errors.map(({ field, code }) => `${field}: ${code}`).join(', ')})` : '';
