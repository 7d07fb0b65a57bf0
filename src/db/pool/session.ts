import type { Duplex } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { RawStatement } from '../connection.ts';
import { DatabaseError } from '../errors.ts';
import { pipelineMessages, queryMessages, type Sending } from './messages.ts';
import {
  type Columns,
  codes,
  lengthAt,
  type Response,
  ResponseReader,
  readError,
  type ServerError,
  withBinary,
} from './results.ts';

/** Maximum number of named statements per connection. */
const maxNames = 500;

/** Statements that have been sent and what becomes of them. */
interface Trip {
  readonly sendings: readonly Sending[];
  readonly reader: ResponseReader;
  resolve(response: Response): void;
  reject(error: Error): void;
}

/**
 * Sends statements on a connection and reads their results; `pg` only opens and closes it.
 * The messages of a trip are then one write and one read, with one Sync, and rows stay bytes until they are needed.
 */
export class Session {
  readonly #stream: Duplex;
  readonly #lost: (error: Error) => void;
  /** Null: statements are not named. */
  readonly #names: LRUCache<string, Columns> | null;
  /** Names that have been given up, and that the server still knows. */
  #dropped: string[] = [];
  readonly #trips: Trip[] = [];
  /** Why nothing more can be sent. */
  #failure: Error | null = null;
  /** Of the transaction: see Response. */
  status = 'I';

  /** @param lost is called with an error of the server's own accord, which closes the connection */
  constructor(stream: Duplex, named: boolean, lost: (error: Error) => void) {
    this.#stream = stream;
    this.#lost = lost;
    this.#names = named
      ? new LRUCache({ max: maxNames, dispose: (_, name, reason) => reason === 'evict' && this.#dropped.push(name) })
      : null;
    stream.removeAllListeners('data');
    const framing = new Framing(this.#onMessage);
    stream.on('data', framing.take);
  }

  /** Whether the connection has prepared a statement of that name. */
  knows(name: string): boolean {
    return this.#names?.has(name) ?? false;
  }

  /**
   * Sends statements together. A text with several statements must be alone.
   * @throws DatabaseError `other` for a value that cannot be sent: nothing has been
   * @throws Error if the connection fails before all of the response is there
   */
  send(statements: readonly RawStatement[]): Promise<Response> {
    if (this.#failure) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const [first] = statements;
    if (statements.length === 1 && first?.name === null && first.values.length === 0) {
      this.#trips.push({ sendings: [], reader: new ResponseReader([]), resolve, reject });
      this.#stream.write(queryMessages(first.text));
      return promise;
    }
    const sendings: Sending[] = [];
    const known: (Columns | null)[] = [];
    for (const statement of statements) {
      const sending = this.#sendingOf(statement);
      sendings.push(sending);
      known.push(sending.columns);
    }
    let messages: Buffer;
    try {
      messages = pipelineMessages(sendings, this.#dropped);
    } catch (error) {
      this.#unlearn(sendings, 0);
      return Promise.reject(new DatabaseError('other', error));
    }
    this.#dropped = [];
    this.#trips.push({ sendings, reader: new ResponseReader(known), resolve, reject });
    this.#stream.write(messages);
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

  #onError(error: ServerError): void {
    if (error.isFatal) this.#failure ??= error;
    if (this.#trips.length === 0) this.#lost(error);
  }

  readonly #onMessage = (bytes: Buffer, at: number): void => {
    if (bytes[at] === codes.error) this.#onError(readError(bytes, at));
    const [trip] = this.#trips;
    const response = trip?.reader.read(bytes, at);
    if (!trip || !response) return;
    this.#trips.shift();
    this.status = response.status;
    this.#learn(trip);
    if (response.failure) this.#unlearn(trip.sendings, response.parsed);
    trip.resolve(response);
  };

  /** Keeps the columns that the server has described. */
  #learn({ sendings, reader }: Trip): void {
    for (const [index, { name, columns }] of sendings.entries()) {
      const described = columns ? null : reader.columns[index];
      if (described && this.#names?.has(name)) this.#names.set(name, withBinary(described));
    }
  }

  /** Forgets the names that the server has not got to because of an error. */
  #unlearn(sendings: readonly Sending[], parsed: number): void {
    for (const { name } of sendings.filter(sending => sending.parsed).slice(parsed)) this.#names?.delete(name);
  }
}

/** The columns of a statement that has been sent and whose description is not there yet. */
const unknown: Columns = { names: [], types: [], binary: [] };

/** Bytes of a message's code and length. */
const head = 5;

/** Splits a server's bytes into messages, read in place: only one in several chunks is copied. */
class Framing {
  readonly #read: (bytes: Buffer, at: number) => void;
  /** The parts of a message that is not complete. */
  #parts: Buffer[] = [];
  /** The number of bytes of those parts, and of the whole message; 0: its head is not complete either. */
  #have = 0;
  #need = 0;

  /** @param read is called with each message: the bytes that it is in, and where it begins */
  constructor(read: (bytes: Buffer, at: number) => void) {
    this.#read = read;
  }

  /** Takes the next bytes. */
  readonly take = (chunk: Buffer): void => {
    const bytes = this.#have === 0 ? chunk : this.#continue(chunk);
    if (!bytes) return;
    let at = 0;
    while (at + head <= bytes.length) {
      const length = 1 + lengthAt(bytes, at);
      if (at + length > bytes.length) {
        this.#need = length;
        break;
      }
      this.#read(bytes, at);
      at += length;
    }
    if (at === bytes.length) return;
    this.#parts = [bytes.subarray(at)];
    this.#have = bytes.length - at;
  };

  /** Completes the message that has begun, if its end is in the chunk. @returns what comes after it */
  #continue(chunk: Buffer): Buffer | null {
    this.#parts.push(chunk);
    this.#have += chunk.length;
    if (this.#need === 0) {
      if (this.#have < head) return null;
      this.#parts = [Buffer.concat(this.#parts)];
      this.#need = 1 + lengthAt(this.#parts[0] as Buffer, 0);
    }
    const more = this.#have - this.#need;
    if (more < 0) return null;
    const last = this.#parts.pop() as Buffer;
    const end = last.length - more;
    const message = this.#parts.length > 0 ? Buffer.concat([...this.#parts, last.subarray(0, end)]) : last;
    [this.#parts, this.#have, this.#need] = [[], 0, 0];
    this.#read(message, 0);
    return more > 0 ? last.subarray(end) : null;
  }
}
