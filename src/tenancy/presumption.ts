import type { Confirmation, Result, Statement } from '../db/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../db/errors.ts';
import { type Address, type CallerTexts, callerStatement, type TokenNames, textsOf } from './caller.ts';
import type { Remembered } from './look-ups.ts';

/** Something remembered of a caller that is taken for granted. */
export interface Assumption {
  readonly last: Remembered<{ readonly text: string }>;
  /** What its text is compared with. */
  readonly part: keyof CallerTexts;
  readonly address: Address;
  readonly token?: TokenNames;
}

/** Thrown where a request cannot go on, because an assumption does not hold; `settle` takes it. */
class Refuted extends Error {}

/**
 * What is taken of a caller without being looked up: what a presumption of the request takes for granted; for a request that goes on,
 * what is recent; null: what is recent, but for a sandbox, whose clock may just have been moved.
 */
export type Trust = Presumption | 'recent' | null;

/** Returns the presumption of a request; null: it makes none. */
export const presumptionOf = (trust: Trust): Presumption | null => (trust === 'recent' ? null : trust);

/** Errors of reads that have come to nothing: their responses tell nothing of the tenant. */
const silent: ReadonlySet<DatabaseErrorKind> = new Set(['unavailable', 'timeout']);

/**
 * What a request that only reads takes for granted of its caller: the tenant and the standing of the token as they are remembered, however
 * long ago they were read. The statement that reads who calls now is sent together with the first read, one trip for both; what has no such
 * read is confirmed by the ordinary look-up. Until then nothing is responded but that the service is not available, and no transaction of
 * several trips begins. See docs/decisions.md, "Tokens".
 */
export class Presumption implements Confirmation {
  readonly #assumptions: Assumption[] = [];
  /** Open: something has been assumed and not confirmed yet. */
  #state: 'open' | 'confirmed' | 'refuted' = 'confirmed';

  /** Takes something for granted. */
  assume(assumption: Assumption): void {
    this.#assumptions.push(assumption);
    if (this.#state === 'confirmed') this.#state = 'open';
  }

  get statement(): Statement | null {
    if (!this.#isOpen()) return null;
    const [first] = this.#assumptions as [Assumption];
    return callerStatement(first.address, this.#assumptions.find(({ token }) => token)?.token ?? null);
  }

  take(result: Result): void {
    const texts = textsOf(result);
    for (const { last, part } of this.#assumptions) this.#compare(last.found, texts?.[part]);
    for (const { last } of this.#assumptions) last.renew();
    this.#state = 'confirmed';
  }

  async confirm(): Promise<void> {
    if (!this.#isOpen()) return;
    for (const { last } of this.#assumptions) this.#compare(last.found, (await last.again())?.text);
    this.#state = 'confirmed';
  }

  /** Returns whether something has to be confirmed. @throws Refuted */
  #isOpen(): boolean {
    this.#throwIfRefuted();
    return this.#state === 'open';
  }

  #throwIfRefuted(): void {
    if (this.#state === 'refuted') throw new Refuted();
  }

  #compare({ text }: { readonly text: string }, now: string | undefined): void {
    if (now !== text) this.#state = 'refuted';
    this.#throwIfRefuted();
  }

  /**
   * Runs `work`, and returns what it returns, or throws what it throws, if all holds that it has taken for granted.
   * @param undo called if that is not so, or not known: nothing that `work` has found out of the caller is true
   * @returns null if it is not so
   * @throws DatabaseError, ApiError if it cannot be found out
   */
  async settle<T>(work: () => Promise<T>, undo: () => void): Promise<T | null> {
    const [outcome] = await Promise.allSettled([work()]);
    const error = outcome.status === 'rejected' ? outcome.reason : null;
    const isSilent = error instanceof DatabaseError && silent.has(error.kind);
    const [confirmed] = await Promise.allSettled([isSilent ? null : this.confirm()]);
    const state = this.#state;
    if (state === 'open' || state === 'refuted') {
      // Not taken for granted again, by anybody: who may not call could otherwise go on as long as nothing confirms it.
      for (const { last } of this.#assumptions) last.forget();
      undo();
    }
    if (state === 'refuted') return null;
    if (confirmed.status === 'rejected') throw confirmed.reason;
    if (outcome.status === 'rejected') throw error;
    return outcome.value;
  }
}
