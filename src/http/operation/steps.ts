import type { Reply } from '../../core/call/reply.ts';
import type { FieldError } from '../../core/errors.ts';
import type { JsonObject, ParsedObject } from '../../core/json/object.ts';
import type { Caller, Principal } from '../../core/principal.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { TenantRequest } from '../request/state.ts';
import type { Match } from './match.ts';

/** The steps of serving a request, in this order; each receives the results of those before it. */
export interface Steps {
  /** Returns the principal that the token belongs to; runs before 404 and 405 too. @throws ApiError 401, 429 */
  authenticate(request: TenantRequest): Promise<Principal>;
  /** Returns the principal of a request without a token, for operations that require none. @throws ApiError 429 */
  anonymous(request: TenantRequest): Promise<Principal>;
  /**
   * Checks that the principal may call the operation, receives the JSON body and confirms the caller behind it.
   * @throws ApiError 403, 405, 410, 415, 413, 400, 401
   */
  admit(request: TenantRequest, match: Match, principal: Principal): Promise<Admission>;
  /** Calls the operation's handler and returns its reply. @throws ApiError 400, 404, 409, 410, 412, 422 */
  handle(admitted: Admitted, handler: Handle): Promise<Reply>;
}

/** The body of a request, and whose it is. */
export interface Admission extends ParsedObject {
  readonly principal: Principal;
  readonly caller: Caller;
}

/** A request whose principal may call its operation. */
export interface Admitted {
  readonly request: TenantRequest;
  readonly match: Match;
  readonly principal: Principal;
  readonly caller: Caller;
  readonly body: JsonObject;
  /** Violations of the document's schema by the body. */
  readonly findings: readonly FieldError[];
}
