import type { Action } from '../../engine/action.ts';

/** DELETE /sandbox/inbox: deletes all webhooks that the sandbox has received. */
export const emptyInbox: Action<'sandbox_emptyInbox'> = (_, db) =>
  db.transaction(async ({ kysely }) => {
    await kysely.deleteFrom('sandbox_inbox').execute();
    return { status: 204, headers: {}, body: null };
  });
