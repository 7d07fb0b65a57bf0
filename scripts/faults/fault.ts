import type { Deployment } from './deployment.ts';
import type { FaultGround } from './ground.ts';
import type { WriteLedger } from './ledger.ts';
import type { FaultService } from './service.ts';

/** Something that goes wrong while clients write. */
export interface Fault {
  /** What goes wrong, in a few words. */
  readonly name: string;
  readonly deployments: readonly Deployment[];
  /** Those of the short form; none: it is left out there. */
  readonly short: readonly Deployment[];
  /** Returns why it cannot happen on this machine; null: it can. */
  readonly obstacle?: () => string | null;
  /** Makes the schema, which otherwise nothing disturbs. @returns what happened, in a few words */
  readonly migrate?: (service: FaultService, short: boolean) => Promise<string>;
  /** What the service needs for it besides its database, made before it starts. */
  readonly prepare?: (ground: FaultGround) => Promise<void>;
  /** Has it happen while clients write. @returns what happened, in a few words */
  readonly happen?: (ground: FaultGround, ledger: WriteLedger, short: boolean) => Promise<string>;
}
