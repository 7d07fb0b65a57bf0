import type { RawResult } from '../connection.ts';
import type { Trips } from '../trips.ts';
import { unite, type WorkStatements } from './unite.ts';

/** What sends the statements of a transaction, or of one of several pieces of work in it. */
export type WorkSender = Pick<Trips, 'send' | 'defer'>;

/**
 * The trips of pieces of work that are done at the same time in one transaction.
 * A trip departs when each piece of work waits for it or has ended. Statements of one form are sent as one; the order of those of one piece
 * of work stays.
 */
export class SharedTrips {
  readonly #trips: Trips;
  #sendings: WorkStatements[] = [];
  readonly #atWork = new Set<number>();
  #last = Promise.resolve();

  constructor(trips: Trips, works: number) {
    this.#trips = trips;
    for (let work = 0; work < works; work++) this.#atWork.add(work);
  }

  /** Returns the sender of a piece of work. */
  senderOf(work: number): WorkSender & { end(): void; readonly hasWritten: boolean; abandon(error: unknown): void } {
    let deferred: Parameters<Trips['defer']>[0][] = [];
    let waitsFor = 0;
    let hasWritten = false;
    const depart = () => {
      for (const { statements, resolve, reject } of deferred)
        this.#sendings.push({ work, statements, resolve, reject });
      hasWritten ||= deferred.length > 0;
      deferred = [];
    };
    // Of all that have waited for a trip before any goes on.
    const settled = () => {
      if (--waitsFor === 0) this.#atWork.add(work);
    };
    return {
      get hasWritten() {
        return hasWritten;
      },
      send: statements => {
        const { promise, resolve, reject } = Promise.withResolvers<readonly RawResult[]>();
        depart();
        hasWritten ||= statements.some(({ text }) => !text.startsWith('select'));
        this.#sendings.push({
          work,
          statements,
          resolve: results => {
            settled();
            resolve(results);
          },
          reject: error => {
            settled();
            reject(error);
          },
        });
        waitsFor++;
        this.#atWork.delete(work);
        this.#departIfAllWait();
        return promise;
      },
      defer: later => void deferred.push(later),
      end: () => {
        depart();
        this.#leave(work);
      },
      abandon: error => {
        for (const { reject } of deferred.splice(0)) reject(error);
        this.#leave(work);
      },
    };
  }

  /** Sends what has been deferred and not sent, once all work has ended. @throws DatabaseError */
  async end(): Promise<void> {
    await this.#last;
    if (this.#sendings.length > 0) await this.#depart();
  }

  #leave(work: number): void {
    this.#atWork.delete(work);
    this.#departIfAllWait();
  }

  #departIfAllWait(): void {
    if (this.#atWork.size > 0 || this.#sendings.length === 0) return;
    this.#last = this.#depart();
    // Whoever waits for it gets the error, and so does the end.
    this.#last.catch(() => {});
  }

  async #depart(): Promise<void> {
    const sendings = this.#sendings.sort((a, b) => a.work - b.work);
    this.#sendings = [];
    const { statements, give } = unite(sendings);
    try {
      give(await this.#trips.send(statements));
    } catch (error) {
      for (const { reject } of sendings) reject(error);
      throw error;
    }
  }
}
