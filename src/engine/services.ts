import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import type { TenantDb } from '../db/database.ts';
import type { Files } from '../files/files.ts';
import type { Values } from './body.ts';

/** What the server provides for actions beside the database. */
export interface Services {
  readonly files: Files;
}

/**
 * Updates a record as a PUT with this body would, whatever the request itself addresses; returns the response.
 * @param call the request that it is part of
 * @param db the database within a transaction of the request, or a rehearsal of it
 * @throws ApiError as that PUT
 */
export type Put = (
  target: { readonly resource: string; readonly id: number; readonly body: Values },
  call: Call,
  db: TenantDb,
) => Promise<Reply>;

/** What actions need beside the database. */
export interface ActionServices extends Services {
  readonly put: Put;
}
