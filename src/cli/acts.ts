import type { Database } from '../db/open.ts';
import { logged } from '../tenancy/administration-log.ts';
import { InputError } from '../tenancy/names.ts';

/** Something that a command is about to do: the operation of the administration API, and its target. */
export interface CommandAct {
  readonly operation: string;
  /** The tenant's slug. */
  readonly tenant?: string | null;
  readonly target?: string | number;
}

/** Does something that the administration log records, as an act of the command line. */
export const enter = <T>(
  database: Database,
  { operation, tenant = null, target }: CommandAct,
  work: () => Promise<T>,
): Promise<T> =>
  logged(
    database,
    { administrator: 'command line', operation, tenant, target: target === undefined ? null : String(target) },
    work,
    outcome => (!('error' in outcome) ? 200 : outcome.error instanceof InputError ? 422 : 500),
  );
