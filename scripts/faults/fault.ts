import type { Deployment } from './deployment.ts';
import type { FaultGround } from './ground.ts';
import type { WriteLedger } from './ledger.ts';

/** Something that goes wrong while clients write. */
export interface Fault {
  /** What goes wrong, in a few words. */
  readonly name: string;
  readonly deployments: readonly Deployment[];
  /** Those of the short form; none: it is left out there. */
  readonly short: readonly Deployment[];
  /** Returns why it cannot happen on this machine; null: it can. */
  readonly obstacle?: () => string | null;
  /** What the service needs for it besides its database, made before it starts. */
  readonly prepare?: (ground: FaultGround) => Promise<void>;
  /** Has it happen while the writers are at work. @returns what happened, in a few words */
  readonly happen: (ground: FaultGround, ledger: WriteLedger, short: boolean) => Promise<string>;
}
