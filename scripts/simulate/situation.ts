import type { Random } from '../../test/replica/random.ts';
import type { MoveRequest } from './caller.ts';
import type { ServedResponse } from './transport.ts';
import type { SimulatedUser } from './users.ts';

/** What a move is chosen from. */
export interface MoveSituation {
  readonly random: Random;
  readonly user: SimulatedUser;
  /** The ids of the records that there are, as far as is known. */
  readonly ids: (resource: string) => readonly number[];
  /** Sends a request; null: there was no response. */
  readonly ask: (asked: MoveRequest) => Promise<ServedResponse | null>;
}

/** Chooses a request, or sends several; undefined: nothing to do. */
export type CallerMove = (situation: MoveSituation) => MoveRequest | undefined | Promise<void>;

const pad = (number: number): string => String(number).padStart(2, '0');

/** Hours of work within three days, so that much overlaps. */
export const timesOf = (random: Random): { readonly start: string; readonly end: string } => {
  const [day, hour] = [random.integer(1, 3), random.integer(6, 14)];
  return {
    start: `2027-03-0${day}T${pad(hour)}:00:00Z`,
    end: `2027-03-0${day}T${pad(hour + random.integer(2, 8))}:00:00Z`,
  };
};
