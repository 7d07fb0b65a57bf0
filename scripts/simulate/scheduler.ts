import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Turns } from '../../src/db/pool/turns.ts';
import type { Random } from '../../test/replica/random.ts';

/** A timer of world.cjs. */
interface SimulatedTimer {
  readonly due: number;
  readonly place: number;
  fire(): void;
}

const world = (globalThis as Record<symbol, unknown>)[Symbol.for('simulation')] as {
  readonly clock: Float64Array;
  readonly timers: ReadonlySet<SimulatedTimer>;
};

/** What a quiet process has: no file is being read or written. */
const harmless = new Set(['MessagePort', 'Timeout', 'Immediate', 'TTYWrap', 'PipeWrap', 'TickObject']);
/** Turns of the event loop without anything to do, after which nothing more is to be expected. */
const QUIET_TURNS = 3;

/**
 * Decides in which order everything goes on.
 * Whoever wants a connection of the database waits until nothing else happens; then one of those who wait is chosen. Time is moved only
 * when nobody waits, to the next timer. So a seed decides all orders, however fast the machine is.
 */
export class Scheduler {
  readonly #random: Random;
  readonly #waiting: (() => void)[] = [];
  /** Resolves when the connection is given back. */
  #held: Promise<void> = Promise.resolve();
  /** The number of choices that have been made. */
  steps = 0;

  constructor(random: Random) {
    this.#random = random;
    const take = Turns.prototype.take;
    const scheduler = this;
    Turns.prototype.take = async function (...asked) {
      await new Promise<void>(resolve => scheduler.#waiting.push(resolve));
      const release = await take.apply(this, asked);
      const held = Promise.withResolvers<void>();
      scheduler.#held = held.promise;
      return () => {
        release();
        held.resolve();
      };
    };
  }

  /** The simulated time in milliseconds since 1970. */
  get now(): number {
    return world.clock[0] as number;
  }

  /** Lets everything go on until the work has ended. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const ended = work.finally(() => {
      done = true;
    });
    ended.catch(() => {});
    for (;;) {
      await this.#quiet();
      if (done) return ended;
      this.steps++;
      if (this.#waiting.length > 0) {
        const [go] = this.#waiting.splice(this.#random.integer(0, this.#waiting.length - 1), 1);
        go?.();
        await setImmediate();
        await this.#held;
      } else this.#fireNext();
    }
  }

  #fireNext(): void {
    let next: SimulatedTimer | null = null;
    for (const timer of world.timers)
      if (!next || timer.due < next.due || (timer.due === next.due && timer.place < next.place)) next = timer;
    assert.ok(next, 'nobody waits for the database or for a timer, and the work has not ended');
    world.clock[0] = Math.max(this.now, next.due);
    next.fire();
  }

  async #quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      await setImmediate();
      if (process.getActiveResourcesInfo().some(name => !harmless.has(name))) turns = -1;
    }
  }
}
