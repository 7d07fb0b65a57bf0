import type { Content } from './content.ts';
import type { FieldError } from './errors.ts';
import type { Fields } from './fields.ts';
import type { Limits } from './limits.ts';
import type { Parameter, Self } from './parameter.ts';
import type { Parent } from './parent.ts';
import type { Principal } from './principal.ts';
import type { Encodable, Json } from './reply.ts';
import type { Resource } from './resource.ts';

/** A request that has been matched and allowed: all that an operation's handler is told of it. */
export interface Call {
  readonly principal: Principal;
  /** All resources, by name. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The fields of resources as the tenant has them. */
  readonly fields: Fields;
  /** The operationId. */
  readonly operation: string;
  /** For a predefined listing (`x-alias`): its name. */
  readonly alias: string | null;
  /** The placeholders of the path; those of type integer as numbers from 1 to 2^53 - 1. */
  readonly params: Readonly<Record<string, number | string>>;
  /** The id of the record that the call addresses; 0 where it addresses none. */
  readonly id: number;
  /** The record whose path the operation lies below; null: the operation is not nested. */
  readonly parent: Parent | null;
  /** The parameters of the query string, without those of the wire. */
  readonly parameters: readonly Parameter[];
  readonly self: Self;
  /** How much its parameters may ask for. */
  readonly limits: Limits;
  /** The body's members; empty where the operation takes no body. */
  readonly body: Readonly<Record<string, Json>>;
  /** What is wrong with the body by the document's schema; reported with all else that stands against the call. */
  readonly findings: readonly FieldError[];
  /** The body, where the operation takes any bytes; it is kept if the operation succeeds and keeps it. */
  readonly content: RawContent | null;
  readonly headers: CallHeaders;
  /** The entity tag that a response with this body has, in the request's format. */
  readonly tag: (body: Encodable) => string;
}

/** The request headers that operations know, as they came. */
export interface CallHeaders {
  readonly ifMatch: string | null;
  readonly idempotencyKey: string | null;
  /** Those that the operation declares in the document, by their names in lower case. */
  readonly declared: Readonly<Record<string, string>>;
}

/** A body of any bytes. */
export interface RawContent extends Omit<Content, 'discard'> {
  /** The Content-Type header. */
  readonly type: string | null;
  /** Says that a record tells of the content now: without it, or if the operation fails, the content is removed. */
  keep(): void;
}
