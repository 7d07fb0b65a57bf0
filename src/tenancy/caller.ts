import type { Access } from '../core/resource/access.ts';
import type { Result, Statement } from '../db/database.ts';
import { rowsOf } from '../db/kysely.ts';
import type { Database } from '../db/open.ts';
import type { Claims } from './claims.ts';

/** What is read of a tenant for its requests. */
export interface TenantRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly time_zone: string;
  readonly modules: readonly string[];
  readonly rate_limit: number | null;
  readonly sandbox: boolean;
  readonly clock_ahead: number;
}

/** What a token says of its API user; nulls: the tenant has no such token. */
export interface Standing {
  readonly user_name: string | null;
  readonly read_only: boolean | null;
  /** Whether the token is revoked or its API user inactive. */
  readonly revoked: boolean | null;
  readonly scopes: Access['scopes'] | null;
  readonly hidden: Access['hidden'] | null;
}

/** The values of a row of caller.sql as text: the same text is the same tenant, or the same standing of its token. */
export interface CallerTexts {
  readonly tenant: string;
  readonly standing: string;
}

/** A row of caller.sql. */
export interface Caller extends TenantRow, Standing {
  /** False: the tenant is disabled. */
  readonly active: boolean;
  readonly texts: CallerTexts;
}

/** Where a request arrives: an active tenant with the slug precedes the one with the registered host name. */
export interface Address {
  readonly slug: string | null;
  readonly host: string | null;
}

/** The names that identify a token. */
export type TokenNames = Pick<Claims, 'tokenId' | 'apiUserId'>;

/** Returns the statement that reads the tenant of an address and the standing of a token of it (caller.sql): no row or one. */
export const callerStatement = ({ slug, host }: Address, token: TokenNames | null): Statement => ({
  name: 'caller',
  text: 'select * from caller($1, $2, $3, $4)',
  values: [slug, host, token?.tokenId ?? null, token && String(token.apiUserId)],
});

/** Returns the texts of what that statement has found; null: no tenant. */
export const textsOf = ({ columns, rows: [row] }: Pick<Result, 'columns' | 'rows'>): CallerTexts | null => {
  if (!row) return null;
  const end = columns.indexOf('user_name');
  const [id] = row;
  return { tenant: JSON.stringify(row.slice(0, end)), standing: JSON.stringify([id, ...row.slice(end)]) };
};

/**
 * Reads the tenant of an address and the standing of a token of it, in one statement; null: there is no such tenant.
 * @param holder the tenant, if it is known: on whose account a connection is taken
 */
export const readCaller = async (
  database: Pick<Database, 'ask'>,
  address: Address,
  token: TokenNames | null,
  holder?: number,
): Promise<Caller | null> => {
  const result = await database.ask(callerStatement(address, token), holder);
  const [[row], texts] = [rowsOf<Omit<Caller, 'texts'>>(result), textsOf(result)];
  return row && texts ? { ...row, texts } : null;
};
