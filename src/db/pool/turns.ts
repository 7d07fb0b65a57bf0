import { DatabaseError } from '../errors.ts';

/** Whoever shares the places: a tenant's id, or null for the service itself. */
export type TurnOwner = number | null;

/** Returns a place; later calls have no effect. */
export type Release = () => void;

/** How places are used. */
export interface Usage {
  readonly places: number;
  readonly used: number;
  readonly waiting: number;
}

/**
 * A number of places that owners share.
 * A free place goes to the waiting owner that has the fewest, in turn. A tenant has at most four fifths of the places, so that
 * its slow statements leave some to the others.
 */
export class Turns {
  readonly #most: number;
  #free: number;
  readonly #held = new Map<TurnOwner, number>();
  /** The waiting requests of each owner; the owners in the order in which they were served last. */
  readonly #waiting = new Map<TurnOwner, Set<() => void>>();

  constructor(places: number) {
    this.#free = places;
    this.#most = places - Math.floor(places / 5);
  }

  /** The number of places, of those that are taken, and of those who wait. */
  get usage(): Usage {
    let used = 0;
    let waiting = 0;
    for (const held of this.#held.values()) used += held;
    for (const line of this.#waiting.values()) waiting += line.size;
    return { places: used + this.#free, used, waiting };
  }

  /** Whether anyone waits for a place. */
  get wanted(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * Waits for a place.
   * @param timeout milliseconds
   * @throws DatabaseError `unavailable` if none was free in time
   */
  async take(owner: TurnOwner, timeout: number): Promise<Release> {
    // Whoever waits may not have a place now: none is free, or theirs are all taken.
    if (this.#free > 0 && this.#mayHaveMore(owner)) this.#give(owner);
    else await this.#wait(owner, timeout);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#held.get(owner) ?? 0) - 1;
      if (left > 0) this.#held.set(owner, left);
      else this.#held.delete(owner);
      this.#free++;
      this.#serve();
    };
  }

  async #wait(owner: TurnOwner, timeout: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = this.#waiting.get(owner) ?? new Set();
    const expire = () => {
      this.#leaveLine(owner, resolve);
      reject(new DatabaseError('unavailable', new Error(`No database connection was free within ${timeout} ms.`)));
    };
    const timer = timeout === Number.POSITIVE_INFINITY ? undefined : setTimeout(expire, timeout);
    this.#waiting.set(owner, line.add(resolve));
    await promise.finally(() => clearTimeout(timer));
  }

  #mayHaveMore(owner: TurnOwner): boolean {
    return owner === null || (this.#held.get(owner) ?? 0) < this.#most;
  }

  #give(owner: TurnOwner): void {
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
    this.#free--;
  }

  #serve(): void {
    while (this.#free > 0) {
      const owner = this.#next();
      if (owner === undefined) return;
      const line = this.#waiting.get(owner) ?? new Set();
      const [grant = () => {}] = line;
      this.#leaveLine(owner, grant);
      // To the end of the round.
      if (this.#waiting.delete(owner)) this.#waiting.set(owner, line);
      this.#give(owner);
      grant();
    }
  }

  /** Returns the waiting owner that has the fewest places; undefined: nobody may have one now. */
  #next(): TurnOwner | undefined {
    let next: TurnOwner | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const owner of this.#waiting.keys()) {
      const held = this.#held.get(owner) ?? 0;
      if (held >= fewest || !this.#mayHaveMore(owner)) continue;
      next = owner;
      fewest = held;
    }
    return next;
  }

  #leaveLine(owner: TurnOwner, grant: () => void): void {
    const line = this.#waiting.get(owner);
    line?.delete(grant);
    if (line?.size === 0) this.#waiting.delete(owner);
  }
}
