import type { filters, paths } from '../../generated/client.ts';
import type { Filter } from './filter.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** The paths that have an operation of the method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [method in M]: { responses: unknown } } ? P : never;
}[keyof paths];

/** The paths whose GET lists records in pages. */
export type ListPaths = {
  [P in PathsWith<'get'>]: 'cursor' extends keyof QueryOf<OperationAt<P, 'get'>> ? P : never;
}[PathsWith<'get'>];

/** The paths of resources whose records have external ids, and can therefore be imported. */
export type ImportPaths = {
  [P in ListPaths]: `${P}/external/{external_id}` extends keyof paths ? P : never;
}[ListPaths];

/** Paths with placeholders, whose values are always needed. */
export type Template = `${string}{${string}`;

export type OperationAt<P extends keyof paths, M extends Method> = paths[P][M];

type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : object;

/** The values of the placeholders. */
export type PathOf<O> = O extends { parameters: { path: infer V } } ? V : never;

type RequestOf<O> = O extends { requestBody?: unknown } ? Exclude<O['requestBody'], undefined> : never;

/** Distributes, so that `never` stays `never`. */
type ContentIn<B> = B extends { content: infer C } ? C : never;

type ContentOf<O> = ContentIn<RequestOf<O>>;

/** What can be sent as it is. */
export type Bytes = string | Uint8Array | ArrayBuffer | Blob;

/** What is sent: an object as JSON; of other operations the bytes, with their media type. */
export type BodyOf<O> = [ContentOf<O>] extends [never]
  ? { readonly body?: never }
  : ContentOf<O> extends { 'application/json': infer B }
    ? O extends { requestBody: unknown }
      ? { readonly body: B }
      : { readonly body?: B }
    : { readonly body: Bytes; readonly contentType?: string };

type Successes<O> = O extends { responses: infer R } ? R[keyof R] : never;

/** The content of the successful responses: JSON, a file (a Blob), or none. */
export type DataOf<O> =
  Successes<O> extends infer S
    ? S extends { content: { 'application/json': infer D } }
      ? D
      : S extends { content: Record<string, unknown> }
        ? Blob
        : undefined
    : never;

type Dynamic = `dynamic_field_${number}`;

type RecordOf<O> = DataOf<O> extends readonly (infer R)[] ? R : DataOf<O>;

/** The relations of a record: its optional members. */
type RelationsOf<R> = Exclude<{ [K in keyof R]-?: undefined extends R[K] ? K : never }[keyof R], Dynamic> & string;

/** The fields of a record, fields of the tenant included. */
type FieldsOf<R> = Exclude<keyof R & string, RelationsOf<R>>;

/** The record of a relation. */
type RelatedRecord<R> = NonNullable<R> extends readonly (infer I)[] ? I : NonNullable<R>;

/** What can be embedded: relations, and single fields of them. */
export type EmbedsOf<O> = 'embed' extends keyof QueryOf<O>
  ? {
      [N in RelationsOf<RecordOf<O>>]: N | `${N}.${FieldsOf<RelatedRecord<RecordOf<O>[N]>>}`;
    }[RelationsOf<RecordOf<O>>]
  : never;

/** What can be selected. */
export type SelectedOf<O> = 'fields' extends keyof QueryOf<O> ? FieldsOf<RecordOf<O>> : never;

type NameOf<E> = E extends `${infer N}.${string}` ? N : E;
type FieldOf<E, N extends string> = E extends `${N}.${infer F}` ? F : never;

/** The value of an embedded relation: all fields of its records, or those that are named. */
type Embedded<R, N extends keyof R & string, E> = N extends E
  ? Exclude<R[N], undefined>
  : R[N] extends readonly (infer I)[] | undefined
    ? Pick<I, FieldOf<E, N> & keyof I>[]
    : Pick<NonNullable<R[N]>, FieldOf<E, N> & keyof NonNullable<R[N]>> | (null extends R[N] ? null : never);

/** A record with the selected fields, or all, and the embedded relations. */
export type ShownFields<R, E, F> = Pick<R, ([F] extends [never] ? FieldsOf<R> : F) & keyof R> & {
  [N in NameOf<E> & RelationsOf<R>]: Embedded<R, N, E>;
};

/** The data of a GET whose fields and relations can be selected. */
export type DataShown<O, E, F> = 'embed' extends keyof QueryOf<O>
  ? DataOf<O> extends readonly (infer R)[]
    ? ShownFields<R, E, F>[]
    : ShownFields<DataOf<O>, E, F>
  : DataOf<O>;

/** The data of one record of a listing. */
export type ItemShown<O, E, F> = DataOf<O> extends readonly (infer R)[] ? ShownFields<R, E, F> : never;

/** Filters of the listing of a path, by field. */
export type FiltersOf<P> = P extends keyof filters
  ? { readonly [K in keyof filters[P]]?: Filter<filters[P][K] & string> } & {
      readonly [field in Dynamic]?: Filter<'text'> | Filter<'number'>;
    }
  : never;

type SortsOf<O> = SelectedOf<O> | `-${SelectedOf<O>}` | `+${SelectedOf<O>}`;

/** The query of a GET: what to select, embed and sort by, and the other parameters of the operation. */
export type ReadQuery<O, E, F> = Omit<QueryOf<O>, 'fields' | 'embed' | 'sort' | 'cursor'> & {
  readonly embed?: readonly E[];
  readonly fields?: readonly F[];
  readonly sort?: 'sort' extends keyof QueryOf<O> ? readonly SortsOf<O>[] : never;
};

/** The query of another operation. */
export type QueryParameters<O> = QueryOf<O>;
