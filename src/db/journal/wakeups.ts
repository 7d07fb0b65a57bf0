import type { Result, Statement } from '../database.ts';

/** How far the journal of a tenant is, as `journal_progress` returns it. */
export interface JournalProgress {
  readonly tenant: number;
  /** The last position; 0: there is none. */
  readonly head: number;
  /** Whether an entry can get the next one. */
  readonly more: boolean;
  /** The position that conflicts follow from. */
  readonly judged: number;
}

/** What waits for what is to come. */
interface Waiter {
  /** Whether it is a request: others follow the journal for the service itself. */
  readonly isRequest: boolean;
  readonly isReady: (progress: JournalProgress) => boolean;
  readonly wake: () => void;
  /** Ends the wait without entries. */
  readonly end: () => void;
}

/** A read in progress for all requests that want the same. */
interface SharedRead {
  readonly result: Promise<unknown>;
  /** Aborted when the request that reads is cancelled. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks at the journals of the tenants that are waited for. */
const INTERVAL = 250;

/**
 * Wakes requests that wait for entries of the journal.
 * One statement each interval finds which of the tenants that are waited for have entries, so that a waiting request holds no
 * connection; none is sent while nobody waits.
 */
export class Wakeups {
  readonly #ask: (statement: Statement) => Promise<Pick<Result, 'rows'>>;
  readonly #waiters = new Map<number, Set<Waiter>>();
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  readonly #reads = new Map<string, SharedRead>();

  /** @param ask sends a statement in a transaction of its own */
  constructor(ask: (statement: Statement) => Promise<Pick<Result, 'rows'>>) {
    this.#ask = ask;
  }

  /**
   * Resolves when there may be entries after the position, or when waiting ends.
   * It ends after the time, when the signal is aborted, or when the server stops.
   * @param ms milliseconds
   * @returns whether there may be entries
   */
  wait(tenantId: number, position: number, ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#waitUntil(tenantId, { isRequest: true, isReady: hasEntriesAfter(position) }, ms, signal);
  }

  /** Does the same for work of the service that follows the journal. */
  follow(tenantId: number, position: number, ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#waitUntil(tenantId, { isRequest: false, isReady: hasEntriesAfter(position) }, ms, signal);
  }

  /** Does the same until the conflicts of the tenant are those of all changes up to the position. */
  waitForConflicts(tenantId: number, position: number, ms: number, signal: AbortSignal): Promise<boolean> {
    const isReady: Waiter['isReady'] = ({ judged }) => judged >= position;
    return this.#waitUntil(tenantId, { isRequest: true, isReady }, ms, signal);
  }

  async #waitUntil(
    tenantId: number,
    wanted: Pick<Waiter, 'isRequest' | 'isReady'>,
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#stopped || signal.aborted || ms <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const end = () => resolve(false);
    const waiter: Waiter = { ...wanted, wake: () => resolve(true), end };
    const waiters = this.#waiters.get(tenantId) ?? new Set();
    this.#waiters.set(tenantId, waiters.add(waiter));
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    this.#look();
    const woken = await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    waiters.delete(waiter);
    if (waiters.size === 0) this.#waiters.delete(tenantId);
    return woken;
  }

  /**
   * Returns the result of a read that requests, woken together, have in common.
   * Only the first of them reads.
   * @param key what is read, for whom
   * @param signal aborted when the request is cancelled, with what it reads
   */
  async share<T>(key: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    const running = this.#reads.get(key);
    if (!running) {
      const result = read().finally(() => this.#reads.delete(key));
      this.#reads.set(key, { result, signal });
      return result;
    }
    try {
      return (await running.result) as T;
    } catch (error) {
      if (running.signal.aborted) return this.share(key, signal, read);
      throw error;
    }
  }

  /** The number of requests that wait. */
  get waiting(): number {
    let waiting = 0;
    for (const waiters of this.#waiters.values()) for (const { isRequest } of waiters) if (isRequest) waiting++;
    return waiting;
  }

  /** Whether the server is stopping: nobody waits any more. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Ends all waiting, now and later. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const waiters of this.#waiters.values()) for (const { end } of waiters) end();
  }

  /** Returns how far the journals of tenants are. */
  async progressOf(tenantIds: readonly number[]): Promise<readonly JournalProgress[]> {
    const { rows } = await this.#ask({
      name: 'journal_progress',
      text: 'select tenant, head, more, judged from journal_progress($1)',
      values: [`{${tenantIds}}`],
    });
    return rows.map(([tenant, head, more, judged]) => ({
      tenant: Number(tenant),
      head: Number(head ?? 0),
      more: more === 't',
      judged: Number(judged ?? 0),
    }));
  }

  /** Plans the next look, unless one is planned. */
  #look(): void {
    if (this.#timer || this.#stopped) return;
    this.#timer = setTimeout(async () => {
      // A database that does not respond leaves the requests waiting until their time is over.
      await this.#wakeReady().catch(() => {});
      this.#timer = null;
      if (this.#waiters.size > 0) this.#look();
    }, INTERVAL);
    this.#timer.unref();
  }

  async #wakeReady(): Promise<void> {
    for (const progress of await this.progressOf([...this.#waiters.keys()]))
      for (const { isReady, wake } of this.#waiters.get(progress.tenant) ?? []) if (isReady(progress)) wake();
  }
}

const hasEntriesAfter =
  (position: number): Waiter['isReady'] =>
  ({ head, more }) =>
    more || head > position;
