/** A one-to-one mapping from the ids of a recording to those of another run. */
export class Renaming {
  readonly #after = new Map<string, number>();
  readonly #before = new Map<string, number>();
  readonly #pairs = new Set<string>();

  /**
   * Whether two ids are a pair; ids that have not been seen before become one.
   * @param space the kind of record: equal ids of different kinds are unrelated
   */
  matches(space: string, before: number, after: number): boolean {
    const [forward, backward] = [`${space} ${before}`, `${space} ${after}`];
    if (!this.#after.has(forward) && !this.#before.has(backward)) {
      this.#after.set(forward, after);
      this.#before.set(backward, before);
      this.#pairs.add(`${before} ${after}`);
    }
    return this.#after.get(forward) === after && this.#before.get(backward) === before;
  }

  /** Whether two strings differ only in ids that are known pairs. */
  matchesText(before: string, after: string): boolean {
    const [old, new_] = [before.split(number), after.split(number)];
    return (
      old.length === new_.length && old.every((part, at) => part === new_[at] || this.#pairs.has(`${part} ${new_[at]}`))
    );
  }
}

const number = /(\d+)/;
