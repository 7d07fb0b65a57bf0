import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '../db/ids.ts';
import type { Database } from '../db/open.ts';
import type { OwnerTransaction } from '../db/owner.ts';

/** When a replaced secret expires: for a day, webhooks are signed with both the old and the new one. */
const expiry = sql<string>`date_trunc('second', now()) + interval '24 hours'`;

/** A new secret in the format of Standard Webhooks. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The secrets that sign a tenant's webhooks, newest first; creates one if there is none. */
export const readSecrets = (database: Pick<Database, 'asOwner'>, tenantId: number): Promise<readonly string[]> =>
  database.asOwner(tenantId, async transaction => {
    const known = await currentSecrets(transaction);
    if (known.length > 0) return known;
    await oneAtATime(transaction);
    const added = await currentSecrets(transaction);
    return added.length > 0 ? added : [await add(transaction)];
  });

/**
 * Replaces a tenant's secret and returns the new one; the old one remains in use for a day.
 * See docs/decisions.md, "Automations and webhooks".
 */
export const replaceSecret = (database: Pick<Database, 'asOwner'>, tenantId: number): Promise<string> =>
  database.asOwner(tenantId, async transaction => {
    await oneAtATime(transaction);
    await transaction.kysely
      .updateTable('webhook_secrets')
      .set({ expires_at: expiry })
      .where('expires_at', 'is', null)
      .execute();
    return add(transaction);
  });

/** Has those who add a secret of the tenant wait for each other: two would sign with both. */
const oneAtATime = ({ system, tenantId }: OwnerTransaction) =>
  system.selectFrom('tenants').select('id').where('id', '=', tenantId).forNoKeyUpdate().execute();

const currentSecrets = async ({ kysely }: OwnerTransaction): Promise<readonly string[]> => {
  const rows = await kysely
    .selectFrom('webhook_secrets')
    .select('secret')
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<string>`now()`)]))
    .orderBy('expires_at', order => order.desc().nullsFirst())
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ secret }) => secret);
};

const add = async (transaction: OwnerTransaction): Promise<string> => {
  const secret = newSecret();
  const id = await newId(transaction, 'webhook_secrets');
  await transaction.kysely.insertInto('webhook_secrets').values({ id, secret, expires_at: null }).execute();
  return secret;
};
