import type { FieldError } from '../errors.ts';
import type { Caller, Principal } from '../principal.ts';
import type { Fields } from '../resource/fields.ts';
import type { Resource } from '../resource/resource.ts';
import type { Content } from './content.ts';
import type { Limits } from './limits.ts';
import type { Parameter, Self } from './parameter.ts';
import type { Parent } from './parent.ts';
import type { Encodable, Json } from './reply.ts';

/** A matched and authorized request, as passed to its operation's handler. */
export interface Call {
  readonly principal: Principal;
  /** Confirms the principal for what lasts. */
  readonly caller: Caller;
  /** All resources, by name. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The fields of all resources, including the tenant's own. */
  readonly fields: Fields;
  /** The operationId. */
  readonly operation: string;
  /** The name of a predefined listing (`x-alias`); null for other operations. */
  readonly alias: string | null;
  /** The path parameters; those of type integer are numbers from 1 to 2^53 - 1. */
  readonly params: Readonly<Record<string, number | string>>;
  /** The path parameter `id`; 0 if the path has none. */
  readonly id: number;
  /** The external id in the path; null if the path has none. */
  readonly externalId: string | null;
  /** The record that the operation's path is nested under; null if it is not nested. */
  readonly parent: Parent | null;
  /** The query parameters, except those that the HTTP layer handles. */
  readonly parameters: readonly Parameter[];
  readonly self: Self;
  /** The limits on query parameters. */
  readonly limits: Limits;
  /** The members of the JSON body; empty if the operation takes none. */
  readonly body: Readonly<Record<string, Json>>;
  /** The schema errors of the body, which the engine reports together with its own. */
  readonly findings: readonly FieldError[];
  /** The raw body, if the operation takes one; removed unless the operation succeeds and calls `keep`. */
  readonly content: RawContent | null;
  readonly headers: CallHeaders;
  /** The id of the request, as in its log lines. */
  readonly requestId: string;
  /**
   * Takes the request out of the count of requests in progress at once.
   * For one that only waits from then on.
   * @returns the signal that the client has disconnected
   */
  readonly leave: () => AbortSignal;
  /** Whether If-Match names the entity tag of a response with this body, in the request's format. */
  readonly matches: (ifMatch: string, body: Encodable) => boolean;
}

/** The request headers that operations use, unparsed. */
export interface CallHeaders {
  readonly ifMatch: string | null;
  readonly idempotencyKey: string | null;
  /** The headers that the operation declares in the OpenAPI document, by name in lower case. */
  readonly declared: Readonly<Record<string, string>>;
}

/** A raw request body. */
export interface RawContent extends Omit<Content, 'discard'> {
  /** The Content-Type header. */
  readonly type: string | null;
  /** Marks the content as referenced by a record; otherwise, or if the operation fails, it is removed. */
  keep(): void;
}
