import { setImmediate } from 'node:timers/promises';

/** Work in short units: it yields after each, so that it can be done in turns with other work. */
export type InUnits<T> = Generator<void, T>;

/** Returns the result of the work; other requests have their turn after each unit. */
export const inTurns = async <T>(work: InUnits<T>): Promise<T> => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await setImmediate();
  }
};

/** Returns the result of the work, all done in this turn: for what is known to be short. */
export const atOnce = <T>(work: InUnits<T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};
