/** Ids that were given anew, and differ: each id before has one after, and none has two. */
export class Renaming {
  readonly #after = new Map<string, number>();
  readonly #before = new Map<string, number>();
  readonly #pairs = new Set<string>();

  /**
   * Whether an id is the same one under its new number; two that have not been seen become a pair.
   * @param space what the id is of: numbers of different records have nothing to do with each other
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

  /** Whether two texts are the same but for ids that are known as pairs. */
  matchesText(before: string, after: string): boolean {
    const [old, new_] = [before.split(number), after.split(number)];
    return (
      old.length === new_.length && old.every((part, at) => part === new_[at] || this.#pairs.has(`${part} ${new_[at]}`))
    );
  }
}

const number = /(\d+)/;
