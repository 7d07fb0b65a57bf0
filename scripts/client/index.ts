import createFetchClient from 'openapi-fetch';
import type { components, paths } from '../../generated/client.ts';
import { type Changes, type ChangesOptions, changes, type Followed } from './changes.ts';
import { ApiError } from './error.ts';
import { addFilters } from './filter.ts';
import { type Retries, send, wait } from './send.ts';
import type {
  BodyOf,
  Bytes,
  DataOf,
  DataShown,
  EmbedsOf,
  FiltersOf,
  ImportPaths,
  ItemShown,
  ListPaths,
  OperationAt,
  PathOf,
  PathsWith,
  QueryParameters,
  ReadQuery,
  SelectedOf,
  Template,
} from './types.ts';

export type { Changes, ChangesOptions, Followed } from './changes.ts';
export { ApiError } from './error.ts';
export type { Conditions, Filter } from './filter.ts';
export type { components, paths };

/** The schemas of the API by name: `Schemas['Client']`. */
export type Schemas = components['schemas'];

export interface ClientOptions extends Partial<Retries> {
  /** URL of the tenant's API: `https://demo.staffing.example/api/v1`. */
  readonly baseUrl: string;
  /** The token of an API user. */
  readonly token: string;
}

/** What every request can have. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

type ReadOptions<P extends PathsWith<'get'>, E, F> = CallOptions & {
  readonly query?: ReadQuery<OperationAt<P, 'get'>, E, F>;
  readonly filter?: FiltersOf<P>;
};

/** How rows are imported. */
export interface ImportOptions extends CallOptions {
  /** `mode`: what happens to a row, `upsert` by default; `dry_run` only tries. */
  readonly query?: { readonly mode?: components['schemas']['ImportMode']; readonly dry_run?: boolean };
  /** The format of the rows; `application/x-ndjson` by default. */
  readonly contentType?: 'application/x-ndjson' | 'text/csv';
}

type InPath<O> = { readonly path: PathOf<O> };

type WriteOptions<O> = CallOptions &
  BodyOf<O> & { readonly query?: QueryParameters<O> } & ([PathOf<O>] extends [never]
    ? { readonly path?: never }
    : InPath<O>);

type PlainPath<P extends string> = Exclude<P, Template>;
type TemplatePath<P extends string> = Extract<P, Template>;
type Get<P extends PathsWith<'get'>> = OperationAt<P, 'get'>;

/** A client of one tenant. Every method throws an ApiError for a response that is an error. */
export interface Client {
  /** Reads a record, a whole listing, or what another GET returns. */
  get<
    P extends PlainPath<PathsWith<'get'>>,
    const E extends EmbedsOf<Get<P>> = never,
    const F extends SelectedOf<Get<P>> = never,
  >(path: P, options?: ReadOptions<P, E, F>): Promise<DataShown<Get<P>, E, F>>;
  get<
    P extends TemplatePath<PathsWith<'get'>>,
    const E extends EmbedsOf<Get<P>> = never,
    const F extends SelectedOf<Get<P>> = never,
  >(path: P, options: ReadOptions<P, E, F> & InPath<Get<P>>): Promise<DataShown<Get<P>, E, F>>;
  /** Reads a listing in pages of `limit` records (500), one after the other, as they are needed. */
  list<
    P extends PlainPath<ListPaths>,
    const E extends EmbedsOf<Get<P>> = never,
    const F extends SelectedOf<Get<P>> = never,
  >(path: P, options?: ReadOptions<P, E, F>): AsyncIterableIterator<ItemShown<Get<P>, E, F>>;
  list<
    P extends TemplatePath<ListPaths>,
    const E extends EmbedsOf<Get<P>> = never,
    const F extends SelectedOf<Get<P>> = never,
  >(path: P, options: ReadOptions<P, E, F> & InPath<Get<P>>): AsyncIterableIterator<ItemShown<Get<P>, E, F>>;
  /** Reads a listing as CSV, with a header row: all records, or with `query.limit` one page. */
  csv<P extends PlainPath<ListPaths>, const F extends SelectedOf<Get<P>> = never>(
    path: P,
    options?: ReadOptions<P, never, F>,
  ): Promise<Blob>;
  csv<P extends TemplatePath<ListPaths>, const F extends SelectedOf<Get<P>> = never>(
    path: P,
    options: ReadOptions<P, never, F> & InPath<Get<P>>,
  ): Promise<Blob>;
  /** Sends rows to be imported, one record each, and returns the import: read it until it is done. */
  import(path: ImportPaths, rows: Bytes, options?: ImportOptions): Promise<ItemShown<Get<'/imports'>, never, never>>;
  post<P extends PathsWith<'post'>>(
    path: P,
    options: WriteOptions<OperationAt<P, 'post'>>,
  ): Promise<DataOf<OperationAt<P, 'post'>>>;
  put<P extends PathsWith<'put'>>(
    path: P,
    options: WriteOptions<OperationAt<P, 'put'>>,
  ): Promise<DataOf<OperationAt<P, 'put'>>>;
  delete<P extends PathsWith<'delete'>>(
    path: P,
    options: WriteOptions<OperationAt<P, 'delete'>>,
  ): Promise<DataOf<OperationAt<P, 'delete'>>>;
  /** Follows the changes of records, in order; see `Changes`. */
  changes<const R extends Followed = Followed, const I extends 'record' | undefined = undefined>(
    options?: ChangesOptions<R, I>,
  ): Changes<R, I>;
}

/** The options of a request, as far as they matter when it is sent. */
interface SentOptions extends CallOptions {
  readonly path?: object;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** Returns a client of the API. */
export const createClient = ({ baseUrl, token, ...options }: ClientOptions): Client => {
  const retries: Retries = { retries: 4, wait, fetch: request => fetch(request), ...options };
  const transport = createFetchClient<Record<string, Record<string, object>>>({
    baseUrl,
    headers: { Authorization: `Bearer ${token}` },
    fetch: request => send(request, retries),
  });

  const exchange = async (method: string, path: string, sent: SentOptions = {}): Promise<Response> => {
    const { path: values = {}, query = {}, filter = {}, body, contentType, headers = {}, signal } = sent;
    const isJson = body !== undefined && contentType === undefined && isPlain(body);
    const { response, error } = await (transport.request as Transport)(method, path, {
      params: { path: values, query: { query, filter } },
      querySerializer,
      headers: contentType ? { ...headers, 'Content-Type': contentType } : headers,
      parseAs: 'stream',
      ...(body !== undefined && { body, bodySerializer: isJson ? JSON.stringify : (bytes: unknown) => bytes }),
      ...(signal && { signal }),
    });
    if (response.ok) return response;
    throw new ApiError(method, response.url, response, typeof error === 'object' ? error : null);
  };

  const call = async (method: string, path: string, sent?: SentOptions) => dataOf(await exchange(method, path, sent));

  async function* list(path: string, sent: SentOptions = {}): AsyncGenerator<unknown> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: 500, ...sent.query, ...(cursor && { cursor }) };
      const response = await exchange('GET', path, { ...sent, query });
      yield* (await response.json()) as unknown[];
      cursor = nextCursor(response);
    }
  }

  return {
    get: (path: string, sent?: SentOptions) => call('GET', path, sent),
    list,
    post: (path: string, sent: SentOptions) => call('POST', path, sent),
    put: (path: string, sent: SentOptions) => call('PUT', path, sent),
    delete: (path: string, sent: SentOptions) => call('DELETE', path, sent),
    changes: (given?: ChangesOptions) =>
      changes((query, signal) => call('GET', '/changes', { query, ...(signal && { signal }) }), given),
    csv: async (path: string, sent?: SentOptions) => (await exchange('GET', `${path}.csv`, sent)).blob(),
    import: (
      path: string,
      body: unknown,
      { query, contentType = 'application/x-ndjson', ...sent }: ImportOptions = {},
    ) => call('POST', `${path}/import`, { ...sent, body, contentType, ...(query && { query: { ...query } }) }),
  } as unknown as Client;
};

type Transport = (
  method: string,
  path: string,
  init: object,
) => Promise<{ readonly response: Response; readonly error?: object | string }>;

/** Whether a body is an object to be sent as JSON. */
const isPlain = (body: unknown): boolean => Object.getPrototypeOf(body) === Object.prototype;

/** Returns the query: lists of names separated by commas, other parameters as they are, the filters. */
const querySerializer = ({ query, filter }: Required<Pick<SentOptions, 'query' | 'filter'>>): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.append(name, Array.isArray(value) ? value.join(',') : String(value));
  addFilters(parameters, filter);
  return parameters.toString();
};

const dataOf = async (response: Response): Promise<unknown> => {
  if (response.status === 204) return undefined;
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return isJson ? response.json() : response.blob();
};

/** Returns the cursor of the next page; null if this is the last one. */
const nextCursor = ({ headers }: Response): string | null => {
  const [, url] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return url ? new URL(url, 'https://placeholder.invalid').searchParams.get('cursor') : null;
};
