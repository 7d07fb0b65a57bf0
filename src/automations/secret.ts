import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '../db/ids.ts';
import type { Database, OwnerTransaction } from '../db/open.ts';

/** Hours for which a secret that was replaced still signs, beside the new one. */
const overlap = sql<string>`date_trunc('second', now()) + interval '24 hours'`;

/** A new secret as Standard Webhooks writes it. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** What a tenant's webhooks are signed with, the newest first; made when there is none. */
export const readSecrets = (database: Pick<Database, 'asOwner'>, tenantId: number): Promise<readonly string[]> =>
  database.asOwner(tenantId, async transaction => {
    const known = await currentSecrets(transaction);
    return known.length > 0 ? known : [await add(transaction)];
  });

/** A new secret in place of a tenant's; the one before still signs for a day. */
export const replaceSecret = (database: Pick<Database, 'asOwner'>, tenantId: number): Promise<string> =>
  database.asOwner(tenantId, async transaction => {
    await transaction.kysely
      .updateTable('webhook_secrets')
      .set({ expires_at: overlap })
      .where('expires_at', 'is', null)
      .execute();
    return add(transaction);
  });

const currentSecrets = async ({ kysely }: OwnerTransaction): Promise<readonly string[]> => {
  const rows = await kysely
    .selectFrom('webhook_secrets')
    .select('secret')
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<string>`now()`)]))
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
