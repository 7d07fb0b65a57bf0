import type { operations } from '../../generated/api.ts';
import type { Call } from '../core/call/call.ts';
import type { Listing, Reply, Rows, StreamBody, Value } from '../core/call/reply.ts';
import type { Representation } from '../core/resource/representation.ts';
import type { TenantDb } from '../db/database.ts';
import type { ActionServices } from './services.ts';

type ActionBody<Operation> = Operation extends { requestBody?: infer Sent }
  ? [Sent] extends [undefined]
    ? Call['body']
    : NonNullable<Sent> extends { content: { 'application/json': infer Content } }
      ? Content
      : Call['body']
  : Call['body'];
type Path<Operation> = Operation extends { parameters: { path: infer Placeholders } } ? Placeholders : Call['params'];

/** A call of one operation: body and placeholders are validated and have the spec's types. */
export interface ActionCall<Id extends keyof operations> extends Omit<Call, 'body' | 'params'> {
  readonly body: ActionBody<operations[Id]>;
  readonly params: Path<operations[Id]>;
}

/** The headers that a response declares, without those that nothing is known of. */
type ActionHeaders<Response> = Response extends { headers: infer Declared }
  ? { readonly [Name in keyof Declared as string extends Name ? never : Name]: string }
  : unknown;
type ActionContent<Response> = Response extends { content: { 'application/json': infer Shown } }
  ? Shown extends Representation
    ? Rows<Shown> | Listing<Shown>
    : Value<Shown>
  : Response extends { content: object }
    ? StreamBody
    : null;

/** A response as its operation declares it: a status with its headers and body. */
export type ActionResponse<Id extends keyof operations> = {
  [Status in keyof operations[Id]['responses']]: {
    readonly status: Status;
    readonly headers: ActionHeaders<operations[Id]['responses'][Status]>;
    readonly body: ActionContent<operations[Id]['responses'][Status]>;
    readonly followUp?: Reply['followUp'] & {};
  };
}[keyof operations[Id]['responses']];

/** A hand-written operation, by operationId; src/resources/<resource>/<name>.ts exports it. */
export type Action<Id extends keyof operations> = (
  call: ActionCall<Id>,
  db: TenantDb,
  services: ActionServices,
) => Promise<ActionResponse<Id>>;

/** A handler for each operation that is no verb, and no other (generated/actions.ts). */
export type Actions = { readonly [Id in keyof operations]: Action<Id> };

/** Returns 200 with a plain value. */
export const ok = <T>(value: T) => ({ status: 200, headers: {}, body: { kind: 'value', value } }) as const;

/** Any action, as it is called: with what dispatch has validated for its operation. */
export type AnyAction = (
  call: Call,
  db: TenantDb,
  services: ActionServices,
) => Promise<Reply<number, Reply['body'] | Value>>;

/** Returns what the action does, its plain value under the operation's name for it. */
export const runAction = async (action: AnyAction, name: string, ...asked: Parameters<AnyAction>): Promise<Reply> => {
  const { body, ...reply } = await action(...asked);
  return { ...reply, body: body?.kind === 'value' ? { ...body, name } : body };
};
