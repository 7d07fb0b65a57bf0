import type { Reply } from '../../core/call/reply.ts';
import type { FieldError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { Visit } from '../request/state.ts';
import type { JsonObject } from './body.ts';
import type { Match } from './match.ts';

/** What is done with a request, in this order; each step takes what those before it have given. */
export interface Steps {
  /** Who asks; before 404 and 405 too. @throws ApiError 401, 429 */
  identify(visit: Visit): Promise<Principal>;
  /** Whoever asks without a token, where the document asks for none. @throws ApiError 429 */
  welcome(visit: Visit): Promise<Principal>;
  /** The JSON body of a request that may call its operation. @throws ApiError 403, 405, 410, 415, 413, 400 */
  admit(visit: Visit, match: Match, principal: Principal): Promise<JsonObject>;
  /** @throws ApiError 400, 404, 409, 410, 412, 422 */
  perform(admitted: Admitted, handle: Handle): Promise<Reply>;
}

/** A request that may call its operation. */
export interface Admitted {
  readonly visit: Visit;
  readonly match: Match;
  readonly principal: Principal;
  readonly body: JsonObject;
  /** What is wrong with the body by the document's schema. */
  readonly findings: readonly FieldError[];
}
