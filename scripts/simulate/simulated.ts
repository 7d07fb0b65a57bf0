import type { Replica } from '../../test/replica/replica.ts';
import type { Ledger } from './ledger.ts';
import type { SimulatedServer } from './server.ts';
import type { SimulatedUser } from './users.ts';

/** What a simulation is made of, as its invariants see it. */
export interface Simulated {
  readonly server: SimulatedServer;
  readonly ledger: Ledger;
  readonly users: readonly SimulatedUser[];
  /** Copies that follow the changes, by who reads them. */
  readonly replicas: ReadonlyMap<string, Replica>;
  /** Reads as a user who sees everything. */
  list(path: string): Promise<readonly SimulatedRow[]>;
  /** Reads one object likewise. */
  get(path: string): Promise<SimulatedRow>;
}

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
export type SimulatedRow = Readonly<Record<string, any>>;
