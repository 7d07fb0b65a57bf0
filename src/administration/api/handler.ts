import type { operations } from '../../../generated/administration.ts';
import type { Tenant } from '../../core/principal.ts';
import type { Administrator } from '../../tenancy/administrators.ts';

/** The id of an operation of the administration API. */
export type OperationId = keyof operations;

type JsonIn<Content> = Content extends { readonly content: { readonly 'application/json': infer Value } }
  ? Value
  : undefined;
type Parameters<Id extends OperationId> = operations[Id]['parameters'];
type Responses<Id extends OperationId> = operations[Id]['responses'];

/** A request whose administrator may make it: dispatch has validated its parameters and its body. */
export interface AdministrationCall<Id extends OperationId> {
  readonly administrator: Administrator;
  /** The tenant in the path. */
  readonly tenant: Parameters<Id>['path'] extends { readonly tenant: string } ? Tenant : null;
  readonly params: NonNullable<Parameters<Id>['path']>;
  readonly query: NonNullable<Parameters<Id>['query']>;
  readonly body: JsonIn<operations[Id]['requestBody']>;
  readonly requestId: string;
}

/** The value of the response with which an operation succeeds; undefined: it has no body. */
export type ResultOf<Id extends OperationId> = JsonIn<Responses<Id>[keyof Responses<Id>]>;

/** Serves an operation. @throws ApiError, InputError if it is rejected */
export type AdministrationHandler<Id extends OperationId> = (call: AdministrationCall<Id>) => Promise<ResultOf<Id>>;

/** A handler for each operation of the document, and no other. */
export type AdministrationHandlers = { readonly [Id in OperationId]: AdministrationHandler<Id> };

/** The handlers of the operations whose ids begin with a name. */
export type HandlersOf<Name extends string> = Pick<AdministrationHandlers, Extract<OperationId, `${Name}_${string}`>>;
