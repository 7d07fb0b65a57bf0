import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { readIfPresent, replaceFile } from '../../core/disk/secret-file.ts';
import type { Database } from '../../db/open.ts';
import { revokeAdministrationToken } from '../../tenancy/administrators.ts';
import { revokeToken } from '../../tenancy/token-register.ts';

/** What may no longer be used: ids of tokens of API users and of administrators, and of token keys. */
export interface Revocations {
  readonly tokens: readonly string[];
  readonly administration_tokens: readonly string[];
  readonly keys: readonly string[];
}

/** No revocation at all. */
export const none: Revocations = { tokens: [], administration_tokens: [], keys: [] };

/** Of them, the ids of tokens. */
export type TokenRevocations = Pick<Revocations, 'tokens' | 'administration_tokens'>;

/**
 * Returns the tokens of an embedded database that are revoked.
 * It can be that of another release: what is read are tables, as their owner, whom row security does not bind there. The functions that each
 * transaction of a tenant needs can be missing.
 */
export const revokedIn = async ({ system }: Pick<Database, 'system'>): Promise<TokenRevocations> => {
  const tenants = await system.selectFrom('tenants').select('id').orderBy('id').execute();
  const tokens: string[] = [];
  for (const { id } of tenants) {
    const { rows } = await sql<{ jti: string }>`
      select jti from tokens where tenant_id = ${id} and revoked_at is not null order by issued_at, jti`.execute(
      system,
    );
    tokens.push(...rows.map(({ jti }) => jti));
  }
  const administrators = await system
    .selectFrom('administration_tokens')
    .select('id')
    .where('revoked_at', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return { tokens, administration_tokens: administrators.map(({ id }) => id) };
};

/** Revokes tokens in a database, and returns those that were valid there. */
export const revokeIn = async (
  database: Pick<Database, 'system' | 'asOwner'>,
  revoked: TokenRevocations,
): Promise<TokenRevocations> => {
  const before = await revokedIn(database);
  const tokens = revoked.tokens.filter(id => !before.tokens.includes(id));
  const administrators = revoked.administration_tokens.filter(id => !before.administration_tokens.includes(id));
  const known: { tokens: string[]; administration_tokens: string[] } = { tokens: [], administration_tokens: [] };
  for (const id of tokens) if (await revokeToken(database, id)) known.tokens.push(id);
  for (const id of administrators)
    if (await revokeAdministrationToken(database, id)) known.administration_tokens.push(id);
  return known;
};

interface Keys {
  readonly keys: readonly { readonly kid: string }[];
}

/**
 * Removes the token keys from a restored folder that the folder in use has no longer.
 * One without any of them gets the keys in use: tokens need one.
 * @returns the ids of the removed keys
 */
export const removeKeys = (restored: string, inUse: string): readonly string[] => {
  if (!existsSync(restored)) return [];
  return readdirSync(restored).flatMap(name => {
    const [old, now] = [restored, inUse].map(folder => readIfPresent(join(folder, name)));
    if (old === null || old === undefined || !now) return [];
    const [{ keys }, current] = [JSON.parse(old) as Keys, JSON.parse(now) as Keys];
    const left = keys.filter(({ kid }) => current.keys.some(key => key.kid === kid));
    if (left.length === keys.length) return [];
    replaceFile(join(restored, name), left.length > 0 ? JSON.stringify({ keys: left }) : now);
    return keys.filter(key => !left.includes(key)).map(({ kid }) => kid);
  });
};
