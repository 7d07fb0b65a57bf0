import { DatabaseError } from '../errors.ts';

/** Whoever shares the places: a tenant's id, or null for the service itself. */
export type Holder = number | null;

/** Returns a place; later calls have no effect. */
export type Leave = () => void;

/** How places are used. */
export interface Usage {
  readonly places: number;
  readonly used: number;
  readonly waiting: number;
}

/**
 * A number of places that holders share. A free place goes to the waiting holder that has the fewest, in turn. A tenant has at most
 * four fifths of the places, so that its slow statements leave some to the others.
 */
export class Turns {
  readonly #most: number;
  #free: number;
  readonly #held = new Map<Holder, number>();
  /** Those that wait, by holder; the holders in the order in which they were served last. */
  readonly #waiting = new Map<Holder, Set<() => void>>();

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
   * @param patience milliseconds
   * @throws DatabaseError `unavailable` if none was free in time
   */
  async take(holder: Holder, patience: number): Promise<Leave> {
    // Whoever waits may not have a place now: none is free, or theirs are all taken.
    if (this.#free > 0 && this.#mayHaveMore(holder)) this.#give(holder);
    else await this.#wait(holder, patience);
    let held = true;
    return () => {
      if (held) this.#return(holder);
      held = false;
    };
  }

  async #wait(holder: Holder, patience: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = this.#waiting.get(holder) ?? new Set();
    const expire = () => {
      this.#leaveLine(holder, resolve);
      reject(new DatabaseError('unavailable', new Error(`No database connection was free within ${patience} ms.`)));
    };
    const timer = patience === Number.POSITIVE_INFINITY ? undefined : setTimeout(expire, patience);
    this.#waiting.set(holder, line.add(resolve));
    await promise.finally(() => clearTimeout(timer));
  }

  #mayHaveMore(holder: Holder): boolean {
    return holder === null || (this.#held.get(holder) ?? 0) < this.#most;
  }

  #give(holder: Holder): void {
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
    this.#free--;
  }

  #return(holder: Holder): void {
    const left = (this.#held.get(holder) ?? 0) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#free++;
    this.#serve();
  }

  #serve(): void {
    while (this.#free > 0) {
      const holder = this.#next();
      if (holder === undefined) return;
      const line = this.#waiting.get(holder) ?? new Set();
      const [grant = () => {}] = line;
      this.#leaveLine(holder, grant);
      // To the end of the round.
      if (this.#waiting.delete(holder)) this.#waiting.set(holder, line);
      this.#give(holder);
      grant();
    }
  }

  /** Returns the waiting holder that has the fewest places; undefined: nobody may have one now. */
  #next(): Holder | undefined {
    let next: Holder | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const holder of this.#waiting.keys()) {
      const held = this.#held.get(holder) ?? 0;
      if (held >= fewest || !this.#mayHaveMore(holder)) continue;
      next = holder;
      fewest = held;
    }
    return next;
  }

  #leaveLine(holder: Holder, grant: () => void): void {
    const line = this.#waiting.get(holder);
    line?.delete(grant);
    if (line?.size === 0) this.#waiting.delete(holder);
  }
}
