import { setTimeout as pause } from 'node:timers/promises';
import { senderOf, type WholeResponse } from '../../test/replica/caller.ts';
import type { SentWrite } from '../../test/replica/order.ts';
import type { Client } from '../../test/support/app.ts';
import type { FaultService } from './service.ts';

/** A write that a client wants done once. */
export interface WantedWrite {
  /** What kind of writes it belongs to. */
  readonly kind: string;
  /** DELETE has no Idempotency-Key: sent again, it finds nothing. */
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A write that the service has acknowledged. */
export interface AcknowledgedWrite extends WantedWrite {
  /** Its Idempotency-Key. */
  readonly key: string;
  /** The ids of its requests: it was sent again until there was a response. */
  readonly requestIds: readonly string[];
  readonly response: WholeResponse;
  /** Whether an earlier request has done it, whose response was lost. */
  readonly isRepeat: boolean;
}

/** Milliseconds after which a request has no response, and within which a write is acknowledged. */
const limits = { silence: 15_000, write: 120_000 } as const;

/** Milliseconds before a request is sent again. */
const breath = 100;

/** Every write of the clients, each sent with one Idempotency-Key until it is acknowledged. */
export class WriteLedger {
  readonly acknowledged: AcknowledgedWrite[] = [];
  /** When requests were sent, and when their writes were acknowledged; without imports. */
  readonly requests = new Map<string, SentWrite>();
  /** What was not as promised, a sentence each. */
  readonly violations: string[] = [];
  /** Requests that got no response, and those that got one which says to try again. */
  readonly repeated = { lost: 0, rejected: 0 };
  readonly #sender: ReturnType<typeof senderOf>;
  #keys = 0;
  #readings = 0;
  #waiting: { readonly isReached: () => boolean; readonly resolve: () => void }[] = [];

  constructor(client: Client, service: FaultService) {
    this.#sender = senderOf(client, () => service.port, { host: service.host, patience: limits.silence });
  }

  /** Sends a write until it is acknowledged. @throws Error if it is rejected, or never acknowledged */
  async write(wanted: WantedWrite): Promise<AcknowledgedWrite> {
    const key = `write-${++this.#keys}`;
    const sent = new Map<string, number>();
    const end = performance.now() + limits.write;
    for (let attempt = 1; performance.now() < end; attempt++) {
      const id = `${key}.${attempt}`;
      sent.set(id, performance.now());
      const response = await this.#send(wanted, key, id);
      const isRepeat = isReplay(response) || (wanted.method === 'DELETE' && attempt > 1 && response?.status === 404);
      if (response && (response.status < 300 || isRepeat))
        return this.#acknowledge({ ...wanted, key, requestIds: [...sent.keys()], response, isRepeat }, sent);
      this.#note(wanted, response);
      await pause(breath);
    }
    throw this.#violated(`${wanted.method} ${wanted.path} was not acknowledged within ${limits.write} ms`);
  }

  /** Resolves after so many more acknowledgements, before anything else is done with the last one. */
  more(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    return this.#until(() => this.acknowledged.length >= wanted);
  }

  /** Resolves likewise after so many more responses that say to try again. */
  moreRejected(count: number): Promise<void> {
    const wanted = this.repeated.rejected + count;
    return this.#until(() => this.repeated.rejected >= wanted);
  }

  /** Resolves after so many more responses to reads. */
  moreReadings(count: number): Promise<void> {
    const wanted = this.#readings + count;
    return this.#until(() => this.#readings >= wanted);
  }

  #until(isReached: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ isReached, resolve });
    return promise;
  }

  #tell(): void {
    const reached = this.#waiting.filter(({ isReached }) => isReached());
    this.#waiting = this.#waiting.filter(each => !reached.includes(each));
    for (const { resolve } of reached) resolve();
  }

  /** Reads something, again until there is a response. */
  async read(path: string): Promise<WholeResponse> {
    const end = performance.now() + limits.write;
    while (performance.now() < end) {
      const response = await this.#sender.send('GET', path);
      if (response?.status === 200) {
        this.#readings += 1;
        this.#tell();
        return response;
      }
      if (response && !isTemporary(response)) throw this.#violated(`GET ${path}: ${response.status} ${response.bytes}`);
      await pause(breath);
    }
    throw this.#violated(`GET ${path} has no response within ${limits.write} ms`);
  }

  /** Sends every acknowledged write again, which must change nothing and yield the same response. */
  async replayAll(): Promise<void> {
    for (const { key, response, ...wanted } of this.acknowledged) {
      if (wanted.method === 'DELETE') continue;
      const again = await untilLasting(() => this.#send(wanted, key, `${key}.again`));
      const isSame =
        again?.status === response.status &&
        again.bytes.equals(response.bytes) &&
        again.headers.location === response.headers.location &&
        isReplay(again);
      if (!isSame)
        this.violations.push(`${wanted.method} ${wanted.path} (${key}), sent again, is no replay: ${again?.status}`);
    }
  }

  close(): void {
    this.#sender.close();
  }

  #send({ method, path, body, headers }: WantedWrite, key: string, id: string): Promise<WholeResponse | null> {
    return this.#sender.send(method, path, body, { ...headers, 'Idempotency-Key': key, 'X-Request-Id': id });
  }

  #acknowledge(write: AcknowledgedWrite, sent: ReadonlyMap<string, number>): AcknowledgedWrite {
    this.acknowledged.push(write);
    const received = performance.now();
    // An import is processed after its response.
    if (write.response.status !== 202) for (const [id, time] of sent) this.requests.set(id, { sent: time, received });
    this.#tell();
    return write;
  }

  #note({ method, path }: WantedWrite, response: WholeResponse | null): void {
    if (response && !isTemporary(response))
      throw this.#violated(`${method} ${path}: ${response.status} ${response.bytes}`);
    if (response) this.repeated.rejected++;
    else this.repeated.lost++;
    this.#tell();
  }

  #violated(sentence: string): Error {
    this.violations.push(sentence);
    return new Error(sentence);
  }
}

const isReplay = (response: WholeResponse | null): boolean => response?.headers['idempotency-replayed'] === 'true';

/**
 * Sends a request until its response does not say to try again.
 * A busy machine may take too long for one.
 * @returns null: there is none within the time of a write
 */
export const untilLasting = async (send: () => Promise<WholeResponse | null>): Promise<WholeResponse | null> => {
  const end = performance.now() + limits.write;
  while (performance.now() < end) {
    const response = await send();
    if (response && !isTemporary(response)) return response;
    await pause(breath);
  }
  return null;
};

/** Whether a response says to try again. */
const isTemporary = ({ status, bytes }: WholeResponse): boolean =>
  status === 503 || (status === 409 && bytes.includes('idempotency_in_progress'));
