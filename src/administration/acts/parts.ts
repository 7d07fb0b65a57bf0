import type { Database } from '../../db/open.ts';
import type { Perform } from '../../http/perform.ts';
import type { Tokens } from '../../tenancy/tokens.ts';

/** What the handlers of the administration API need. */
export interface AdministrationParts {
  readonly database: Database;
  readonly tokens: Tokens;
  /** Performs operations of the tenants' API. */
  readonly perform: Perform;
  readonly baseDomain: string;
}
