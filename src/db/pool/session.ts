import type { Duplex } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { RawStatement } from '../connection.ts';
import { pipelineMessages, queryMessages, type Sending, type ToText } from './messages.ts';
import {
  type Columns,
  codes,
  lengthAt,
  noColumns,
  type Response,
  readError,
  readResponse,
  type ServerError,
} from './results.ts';

/** Maximum number of named statements per connection. */
const maxNames = 500;

/** Statements that have been sent and what becomes of them. */
interface Trip {
  readonly sendings: readonly Sending[];
  resolve(response: Response): void;
  reject(error: Error): void;
}

/**
 * The statements and results of a connection that `pg` has opened, which it only closes again: they are sent and read here, because the
 * messages of a trip are then one write and one read, with one Sync, and rows stay bytes until they are needed.
 */
export class Session {
  readonly #stream: Duplex;
  readonly #textOf: ToText;
  readonly #lost: (error: Error) => void;
  /** Null: statements are not named. */
  readonly #names: LRUCache<string, Columns> | null;
  /** Names that have been given up, and that the server still knows. */
  #dropped: string[] = [];
  readonly #trips: Trip[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  /** Where the next message begins in the chunks. */
  #next = 0;
  /** Why nothing more can be sent. */
  #failure: Error | null = null;
  /** Of the transaction: see Response. */
  status = 'I';

  /** @param lost is called with an error that the server sends of its own accord: it closes the connection */
  constructor(stream: Duplex, named: boolean, textOf: ToText, lost: (error: Error) => void) {
    this.#stream = stream;
    this.#textOf = textOf;
    this.#lost = lost;
    this.#names = named
      ? new LRUCache({ max: maxNames, dispose: (_, name, reason) => reason === 'evict' && this.#dropped.push(name) })
      : null;
    stream.removeAllListeners('data');
    stream.on('data', this.#onData);
  }

  /** Whether the connection has prepared a statement of that name. */
  knows(name: string): boolean {
    return this.#names?.has(name) ?? false;
  }

  /**
   * Sends statements together. A text with several statements must be alone.
   * @throws Error if the connection fails before all of the response is there
   */
  send(statements: readonly RawStatement[]): Promise<Response> {
    if (this.#failure) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const [first] = statements;
    if (statements.length === 1 && first?.name === null && first.values.length === 0) {
      this.#trips.push({ sendings: [], resolve, reject });
      this.#stream.write(queryMessages(first.text));
      return promise;
    }
    const sendings = statements.map(statement => this.#sendingOf(statement));
    const dropped = this.#dropped;
    this.#dropped = [];
    this.#trips.push({ sendings, resolve, reject });
    this.#stream.write(pipelineMessages(sendings, dropped, this.#textOf));
    return promise;
  }

  #sendingOf(statement: RawStatement): Sending {
    const { name } = statement;
    if (name === null || !this.#names) return { statement, name: '', parsed: true, columns: null };
    const columns = this.#names.get(name);
    if (columns === undefined) this.#names.set(name, unknown);
    return { statement, name, parsed: columns === undefined, columns: columns === unknown ? null : (columns ?? null) };
  }

  /** Rejects all that is under way: the connection has ended. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#trips.splice(0)) reject(this.#failure);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#next + 5 <= this.#length) {
      const [bytes, start] = this.#header();
      const code = bytes[start];
      const end = this.#next + 1 + lengthAt(bytes, start);
      if (end > this.#length && (code === codes.ready || code === codes.error)) return;
      this.#next = end;
      if (code === codes.ready) this.#complete(end);
      else if (code === codes.error) this.#onError(readError(bytes, start));
    }
  };

  #onError(error: ServerError): void {
    if (error.isFatal) this.#failure ??= error;
    if (this.#trips.length === 0) this.#lost(error);
  }

  /** Returns bytes in which the next message's code and length are, and where. */
  #header(): [bytes: Buffer, start: number] {
    const last = this.#chunks.at(-1) as Buffer;
    const start = this.#next - (this.#length - last.length);
    if (start >= 0) return [last, start];
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return [whole, this.#next];
  }

  /** Completes the first trip, whose response ends there. */
  #complete(end: number): void {
    const whole = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = end < whole.length ? [whole.subarray(end)] : [];
    this.#length = whole.length - end;
    this.#next = 0;
    const trip = this.#trips.shift();
    if (!trip) return;
    const { sendings } = trip;
    const response = readResponse(
      whole.subarray(0, end),
      index => sendings[index]?.columns ?? noColumns,
      (index, columns) => this.#learn(sendings[index]?.name ?? '', columns),
    );
    this.status = response.status;
    if (response.failure) this.#unlearn(sendings, response.parsed);
    trip.resolve(response);
  }

  #learn(name: string, columns: Columns): void {
    if (this.#names?.has(name)) this.#names.set(name, columns);
  }

  /** Forgets the names that the server has not got to because of an error. */
  #unlearn(sendings: readonly Sending[], parsed: number): void {
    for (const { name } of sendings.filter(sending => sending.parsed).slice(parsed)) this.#names?.delete(name);
  }
}

/** The columns of a statement that has been sent and whose description is not there yet. */
const unknown: Columns = { names: [], types: [] };
