import type { Call } from '../../core/call/call.ts';
import type { Visit } from '../request/state.ts';
import { etagOfBody } from '../response/render.ts';
import type { Match } from './match.ts';
import { locate } from './nested.ts';
import type { Admitted } from './steps.ts';

/**
 * All that an operation's handler is told of a request, but for the fields of the tenant.
 * @throws ApiError not_found (404), invalid_parameter (400), validation_failed (422) if the record that it addresses is not named
 */
export const callOf = (
  { visit, match, principal, body, findings }: Admitted,
  rest: Pick<Call, 'content' | 'resources' | 'limits'>,
): Omit<Call, 'fields'> => {
  const { wire, tenant } = visit;
  return {
    ...rest,
    principal,
    body,
    findings,
    ...locate(match, wire.parameters, body),
    operation: match.operation.operationId,
    alias: match.operation['x-alias'] ?? null,
    params: match.params,
    self: wire.self,
    headers: headersOf(visit, match),
    tag: shown => etagOfBody(shown, wire.format, tenant.id),
  };
};

const headersOf = ({ exchange: { headers } }: Visit, { operation }: Match): Call['headers'] => {
  const declared = operation.headerNames.flatMap(name =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as const],
  );
  return {
    ifMatch: headers['if-match'] ?? null,
    idempotencyKey: headers['idempotency-key']?.toString() ?? null,
    declared: Object.fromEntries(declared),
  };
};
