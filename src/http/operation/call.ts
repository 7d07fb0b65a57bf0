import type { Call } from '../../core/call/call.ts';
import type { Parameter } from '../../core/call/parameter.ts';
import type { Parent } from '../../core/call/parent.ts';
import { ApiError, invalidField } from '../../core/errors.ts';
import { parseId } from '../../core/ids.ts';
import { normalise } from '../../core/lines.ts';
import { root } from '../../core/root.ts';
import { matchesEtag } from '../response/etag.ts';
import { etagOfBody } from '../response/render.ts';
import type { Match } from './match.ts';
import type { Operation } from './operation.ts';
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
  const { wire, exchange } = request;
  const { headers, state } = exchange;
  const declared = match.operation.headerNames.flatMap(name =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as const],
  );
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
    headers: {
      ifMatch: headers['if-match'] ?? null,
      idempotencyKey: headers['idempotency-key']?.toString() ?? null,
      declared: Object.fromEntries(declared),
    },
    requestId: state.requestId,
    leave: () => {
      state.leave?.();
      return state.signal;
    },
    matches: (ifMatch, shown) => matchesEtag(ifMatch, etagOfBody(shown, wire.format, principal.tenant.id)),
  };
};

type Located = Pick<Call, 'id' | 'externalId' | 'parent' | 'parameters'>;

/**
 * Returns the record that a call addresses, and its parent.
 * For a nested operation, `parent` declares where the record's id is: in the path, in a query parameter (which is
 * removed from the parameters) or in a member of the body.
 * @throws ApiError not_found (404) for an invalid id; invalid_parameter (400), validation_failed (422) if the id is
 * missing
 */
export const locate = ({ operation, params }: Match, parameters: readonly Parameter[], body: Call['body']): Located => {
  const { parent: nested } = operation;
  const id = typeof params.id === 'number' ? params.id : 0;
  const externalId = operation.externalId === undefined ? null : externalIdOf(params[operation.externalId]);
  if (!nested) return { id, externalId, parent: null, parameters };
  const { resource, field, record } = nested;
  const parent: Parent = { resource, field, id, path: root + fillIn(operation, params) };
  const located = { parent, externalId, parameters };
  switch (record?.in) {
    case 'path':
      return { ...located, id: Number(params[record.name]) };
    case 'query': {
      const others = parameters.filter(([name]) => name !== record.name);
      return { ...located, id: queryId(record.name, parameters), parameters: others };
    }
    case 'body':
      return { ...located, id: bodyId(record.name, body) };
    default:
      return { ...located, id: 0 };
  }
};

/** In the form in which a body's value is stored. */
const externalIdOf = (value: number | string | undefined): string => {
  const externalId = normalise('one', String(value));
  if (externalId === '') throw new ApiError('not_found');
  return externalId;
};

const fillIn = ({ path }: Operation, params: Match['params']): string =>
  path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(params[name]));

const queryId = (name: string, parameters: readonly Parameter[]): number => {
  const [given, ...more] = parameters.filter(([candidate]) => candidate === name);
  if (!given || more.length > 0) throw new ApiError('invalid_parameter', { message: `${name} must be given once.` });
  const id = parseId(given[1]);
  if (id === null) throw new ApiError('not_found');
  return id;
};

const bodyId = (name: string, body: Call['body']): number => {
  const id = body[name];
  if (id === undefined || id === null) throw invalidField('not_empty', name, `${name}: a value is required.`);
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw invalidField('invalid_type', name, `${name}: a whole number is expected.`);
  if (id < 1) throw invalidField('out_of_range', name, `${name}: at least 1 is expected.`);
  return id;
};
