import type { Database } from '../../db/open.ts';
import type { PerformTask } from '../../http/perform.ts';
import type { Tokens } from '../../tenancy/tokens.ts';

/** What the handlers of the administration API need. */
export interface AdministrationParts {
  readonly database: Database;
  readonly tokens: Tokens;
  /** Performs operations of the tenants' API. */
  readonly perform: PerformTask;
  readonly baseDomain: string;
}
