import type { Tenant } from '../../core/principal.ts';
import type { Access } from '../../core/resource/access.ts';
import type { Result, Statement } from '../../db/database.ts';
import { rowsOf } from '../../db/kysely.ts';
import type { Database } from '../../db/open.ts';
import { type TenantRow, toTenant } from '../tenants.ts';

/** The names that a request is looked up by. */
export interface CallerNames {
  /** The host name in lower case, without a port. */
  readonly host: string;
  /** The slug in a host name under the base domain; null: another one. It precedes registered hosts. */
  readonly slug: string | null;
  /** The token; null: none whose signature is valid. */
  readonly token: { readonly tokenId: string; readonly apiUserId: number } | null;
}

/** What a look-up has found. */
export interface FoundCaller {
  readonly tenant: Tenant;
  /** False: the tenant is disabled. */
  readonly active: boolean;
  /** The API user of the token; null: the tenant has no such token. */
  readonly apiUser: (Access & { readonly name: string; readonly readOnly: boolean }) | null;
  /** Whether the token is revoked or its API user inactive. */
  readonly revoked: boolean;
  /** The row as text: equal texts are equal rows. */
  readonly text: string;
}

/** A row of caller.sql. Null columns: the tenant has no such token. */
interface CallerRow extends TenantRow {
  readonly active: boolean;
  readonly user_name: string | null;
  readonly read_only: boolean | null;
  readonly revoked: boolean | null;
  readonly scopes: Access['scopes'] | null;
  readonly hidden: Access['hidden'] | null;
}

/** Returns the statement that reads a host's tenant and a token's standing (caller.sql). */
export const lookUpStatement = ({ slug, host, token }: CallerNames): Statement => ({
  name: 'caller',
  text: 'select * from caller($1, $2, $3, $4)',
  values: [slug, host, token?.tokenId ?? null, token && String(token.apiUserId)],
});

/** Returns the result of that statement as text; null: no tenant. */
export const textOf = ({ rows: [row] }: Pick<Result, 'rows'>): string | null => (row ? JSON.stringify(row) : null);

/**
 * Reads the tenant of a host and the standing of a token in one statement.
 * Null: there is no such tenant.
 * @param tenantId the tenant on whose account a connection is taken, if it is known
 */
export const lookUp = async (
  database: Pick<Database, 'ask'>,
  names: CallerNames,
  tenantId?: number,
): Promise<FoundCaller | null> => {
  const result = await database.ask(lookUpStatement(names), tenantId);
  const [[row], text] = [rowsOf<CallerRow>(result), textOf(result)];
  if (!row || text === null) return null;
  const { active, user_name: name, read_only: readOnly, revoked, scopes, hidden } = row;
  const isKnown = name !== null && readOnly !== null && scopes !== null && hidden !== null;
  const apiUser = isKnown ? { name, readOnly, scopes, hidden } : null;
  return { tenant: toTenant(row), active, apiUser, revoked: revoked === true, text };
};
