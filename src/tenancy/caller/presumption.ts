import type { Confirmation, Result, Statement } from '../../db/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../db/errors.ts';
import type { Remembered } from './cache.ts';
import { type CallerNames, lookUpStatement, textOf } from './look-up.ts';

/** Thrown where a request cannot go on because its caller has changed; `settle` catches it. */
class Refuted extends Error {}

/** Errors of reads without a result: their responses show nothing of the tenant. */
const silent: ReadonlySet<DatabaseErrorKind> = new Set(['unavailable', 'timeout']);

/**
 * The caller of a read as the cache remembers it, however long ago it was looked up.
 * The look-up is sent together with the request's first read, in one trip. Requests without such a read are confirmed by a separate
 * look-up. Until then no response is sent but 503, and no transaction of several trips begins. See docs/decisions.md, "Tokens".
 */
export class Presumption implements Confirmation {
  #presumed: { readonly last: Remembered; readonly names: CallerNames } | null = null;
  /** Open: a caller is presumed and not confirmed yet. */
  #state: 'open' | 'confirmed' | 'refuted' = 'confirmed';

  /** Presumes a remembered caller. */
  presume(last: Remembered, names: CallerNames): void {
    this.#presumed = { last, names };
    this.#state = 'open';
  }

  get statement(): Statement | null {
    const presumed = this.#toConfirm();
    return presumed && lookUpStatement(presumed.names);
  }

  take(result: Result): void {
    this.#compare(textOf(result));
    this.#presumed?.last.renew();
  }

  async confirm(): Promise<void> {
    const presumed = this.#toConfirm();
    if (presumed) this.#compare((await presumed.last.again())?.text ?? null);
  }

  /** Returns the caller to confirm; null: there is none. @throws Refuted */
  #toConfirm() {
    if (this.#state === 'refuted') throw new Refuted();
    return this.#state === 'open' ? this.#presumed : null;
  }

  #compare(now: string | null): void {
    this.#state = now === this.#presumed?.last.found.text ? 'confirmed' : 'refuted';
    this.#toConfirm();
  }

  /**
   * Runs `work`, and returns its result or throws its error if the caller is confirmed.
   * @param undo called if the caller has changed or is not confirmed: discards what `work` learned about the caller
   * @returns null if the caller has changed
   * @throws DatabaseError, ApiError if the caller cannot be looked up
   */
  async settle<T>(work: (presumption: Presumption) => Promise<T>, undo: () => void): Promise<T | null> {
    const [outcome] = await Promise.allSettled([work(this)]);
    const error = outcome.status === 'rejected' ? outcome.reason : null;
    const isSilent = error instanceof DatabaseError && silent.has(error.kind);
    const [confirmed] = await Promise.allSettled([isSilent ? null : this.confirm()]);
    const state = this.#state;
    if (state !== 'confirmed') {
      // Forgotten for all requests: a revoked token could otherwise be presumed as long as no look-up succeeds.
      this.#presumed?.last.forget();
      undo();
    }
    if (state === 'refuted') return null;
    if (confirmed.status === 'rejected') throw confirmed.reason;
    if (outcome.status === 'rejected') throw error;
    return outcome.value;
  }
}
