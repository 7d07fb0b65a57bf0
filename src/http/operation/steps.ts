import type { FieldError } from '../../core/errors.ts';
import type { JsonObject, ParsedObject } from '../../core/json/object.ts';
import type { Caller, Principal } from '../../core/principal.ts';
import type { TenantRequest } from '../request/state.ts';
import type { Match } from './match.ts';

/** What an API does with a request, in this order; each step receives the results of those before it. */
export interface Steps<Request, Principal, Admission extends ParsedObject, Handle, Result> {
  /** Returns whose token the request has; runs before 404 and 405 too. @throws ApiError 401, 429 */
  authenticate(request: Request): Promise<Principal>;
  /**
   * Returns the principal of a request without a token, for operations that require none.
   * Default: every operation does.
   * @throws ApiError 429
   */
  anonymous?(request: Request): Promise<Principal>;
  /**
   * Checks that the principal may call the operation, and receives the JSON body.
   * @throws ApiError 403, 405, 410, 415, 413, 400, 401
   */
  admit(request: Request, match: Match, principal: Principal): Promise<Admission>;
  /** Calls the operation's handler. @throws ApiError 400, 404, 409, 410, 412, 422 */
  handle(admitted: AdmittedTo<Request, Admission>, handler: Handle): Promise<Result>;
}

/** A permitted request, checked against the document, with what admitting it has found. */
export type AdmittedTo<Request, Admission> = Omit<Admission, keyof ParsedObject> & {
  readonly request: Request;
  readonly match: Match;
  /** In stored form; empty if the operation takes no JSON body. */
  readonly body: JsonObject;
  /** Violations of the document by the body. */
  readonly findings: readonly FieldError[];
};

/** The body of a request to the tenants' API, and whose it is. */
export interface Admission extends ParsedObject {
  readonly principal: Principal;
  readonly caller: Caller;
}

/** A request to the tenants' API whose principal may call its operation. */
export type Admitted = AdmittedTo<TenantRequest, Admission>;
