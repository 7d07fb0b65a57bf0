import type { Call } from '../../core/call/call.ts';
import type { TenantRequest } from '../request/state.ts';
import { matchesEtag } from '../response/etag.ts';
import { etagOfBody } from '../response/render.ts';
import type { Match } from './match.ts';
import { locate } from './nested.ts';
import type { Admitted } from './steps.ts';

/**
 * Returns the call that an operation's handler receives, without the tenant's fields.
 * @throws ApiError not_found (404), invalid_parameter (400), validation_failed (422) if the addressed record is not
 * identified
 */
export const callOf = (
  { request, match, principal, caller, body, findings }: Admitted,
  rest: Pick<Call, 'content' | 'resources' | 'limits'>,
): Omit<Call, 'fields'> => {
  const { wire } = request;
  return {
    ...rest,
    principal,
    caller,
    body,
    findings,
    ...locate(match, wire.parameters, body),
    operation: match.operation.operationId,
    alias: match.operation.alias ?? null,
    params: match.params,
    self: wire.self,
    headers: headersOf(request, match),
    requestId: request.exchange.state.requestId,
    leave: () => {
      request.exchange.state.leave?.();
      return request.exchange.state.signal;
    },
    matches: (ifMatch, shown) => matchesEtag(ifMatch, etagOfBody(shown, wire.format, principal.tenant.id)),
  };
};

const headersOf = ({ exchange: { headers } }: TenantRequest, { operation }: Match): Call['headers'] => {
  const declared = operation.headerNames.flatMap(name =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as const],
  );
  return {
    ifMatch: headers['if-match'] ?? null,
    idempotencyKey: headers['idempotency-key']?.toString() ?? null,
    declared: Object.fromEntries(declared),
  };
};
