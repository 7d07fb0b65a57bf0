import type { SimulatedExchange } from '../ledger.ts';
import type { Simulated } from '../simulated.ts';

/** What holds whatever happens. Each function returns how it does not: nothing if it does. */
export interface Invariant {
  readonly name: string;
  /** Of every request and its response. */
  readonly exchange?: (exchange: SimulatedExchange) => readonly string[];
  /** Of the records, when nothing is under way. */
  readonly state?: (simulated: Simulated) => Promise<readonly string[]>;
}

/** Names an exchange in a sentence. */
export const nameOf = ({ user, sent, served, requestId }: SimulatedExchange): string =>
  `${requestId} (${user.name}) ${sent.method} ${sent.path.slice(0, 200)} ${served?.status ?? 'without response'}`;
