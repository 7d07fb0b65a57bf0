import type { operations } from '../../generated/api.ts';
import type { Call } from '../core/call.ts';
import type { Reply } from '../core/reply.ts';
import type { TenantDb } from '../db/database.ts';
import type { Services } from './services.ts';

type Body<Operation> = Operation extends { requestBody?: infer Sent }
  ? [Sent] extends [undefined]
    ? Call['body']
    : NonNullable<Sent> extends { content: { 'application/json': infer Content } }
      ? Content
      : Call['body']
  : Call['body'];
type Path<Operation> = Operation extends { parameters: { path: infer Placeholders } } ? Placeholders : Call['params'];

/** A call of one operation: dispatch has validated its body and its placeholders, so that they have the spec's types. */
export interface ActionCall<Id extends keyof operations> extends Omit<Call, 'body' | 'params'> {
  readonly body: Body<operations[Id]>;
  readonly params: Path<operations[Id]>;
}

/** A hand-written operation, by its operationId: src/resources/<resource>/<name>.ts exports one under the operation's name. */
export type Action<Id extends keyof operations> = (
  call: ActionCall<Id>,
  db: TenantDb,
  services: Services,
) => Promise<Reply>;

/** A handler for each operation that is none of the five verbs, and no other (generated/actions.ts). */
export type Actions = { readonly [Id in keyof operations]: Action<Id> };
