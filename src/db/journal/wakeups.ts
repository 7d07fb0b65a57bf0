import { type Kysely, sql } from 'kysely';

/** A request that waits for entries after a position. */
interface Waiter {
  readonly position: number;
  readonly wake: () => void;
}

/** Milliseconds between two looks at the journals of the tenants that are waited for. */
const INTERVAL = 250;

/**
 * Wakes requests that wait for entries of the journal. One statement each interval finds which of the tenants that are waited for
 * have entries, so that a waiting request holds no connection; none is sent while nobody waits.
 */
export class Wakeups {
  readonly #system: Kysely<object>;
  readonly #waiters = new Map<number, Set<Waiter>>();
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  // biome-ignore lint/suspicious/noExplicitAny: the statement names no table
  constructor(system: Kysely<any>) {
    this.#system = system;
  }

  /**
   * Resolves when there may be entries after the position, after the time, when the signal is aborted, or when the server stops.
   * @param ms milliseconds
   */
  async wait(tenantId: number, position: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#stopped || signal.aborted || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const waiter: Waiter = { position, wake };
    const waiters = this.#waiters.get(tenantId) ?? new Set();
    this.#waiters.set(tenantId, waiters.add(waiter));
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
    this.#look();
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    waiters.delete(waiter);
    if (waiters.size === 0) this.#waiters.delete(tenantId);
  }

  /** The number of requests that wait. */
  get waiting(): number {
    let waiting = 0;
    for (const waiters of this.#waiters.values()) waiting += waiters.size;
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
    for (const waiters of this.#waiters.values()) for (const { wake } of waiters) wake();
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
    const tenants = `{${[...this.#waiters.keys()]}}`;
    const { rows } = await sql<{ tenant: number; head: number | null; more: boolean }>`
      select tenant, head, more from journal_progress(${tenants}::bigint[])`.execute(this.#system);
    for (const { tenant, head, more } of rows)
      for (const { position, wake } of this.#waiters.get(Number(tenant)) ?? [])
        if (more || Number(head ?? 0) > position) wake();
  }
}
