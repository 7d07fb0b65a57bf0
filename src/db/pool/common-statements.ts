import { LRUCache } from 'lru-cache';
import type { RawStatement } from '../connection.ts';
import { COMMIT } from '../enter.ts';

/** Number of names that are remembered, the ones last used. */
const remembered = 500;
/** Number of statements that each connection knows in advance. */
const most = 20;
/** Number of runs that make a statement common. */
const often = 3;

/** The statements with a name that the process runs repeatedly in read-only transactions, and how a connection learns them. */
export class CommonStatements {
  readonly #runs = new LRUCache<string, { runs: number; readonly statement: RawStatement }>({ max: remembered });
  /** The first statements of each read-only transaction. */
  readonly #opening: readonly RawStatement[];

  /** @param opening the statements that begin a read-only transaction as any tenant; empty: nothing is learnt */
  constructor(opening: readonly RawStatement[]) {
    this.#opening = opening;
  }

  /** Whether a transaction with that first statement is one to learn from. */
  isReading(first: RawStatement | undefined): boolean {
    return this.#opening.length > 0 && first?.text === this.#opening[0]?.text;
  }

  /** Records that the statements of a transaction run, without their values; those after its end are no part of it. */
  learn(statements: readonly RawStatement[]): void {
    for (const { name, text, values } of statements) {
      if (text === COMMIT.text) break;
      // What has no values is not planned.
      if (name === null || values.length === 0 || this.#opening.some(({ name: other }) => other === name)) continue;
      const known = this.#runs.get(name);
      if (known) known.runs++;
      else this.#runs.set(name, { runs: 1, statement: { name, text, values: values.map(() => null) } });
    }
  }

  /** Forgets a statement that a connection could not learn, until it runs again. */
  forget(name: string): void {
    this.#runs.delete(name);
  }

  /**
   * Returns the statements that have a connection parse and plan one more common statement; null: it knows them all. They read
   * nothing: no record has null as its tenant.
   */
  warmUp(isKnown: (name: string) => boolean): readonly RawStatement[] | null {
    let left = most;
    for (const [name, { runs, statement }] of this.#runs) {
      if (left-- === 0) return null;
      if (runs >= often && !isKnown(name)) return [...this.#opening, statement, commit];
    }
    return null;
  }
}

const commit: RawStatement = { name: null, text: 'commit', values: [] };
