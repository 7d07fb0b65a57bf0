import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { FloorStatement } from '../sent.ts';
import { textOf } from '../statements.ts';

/** A column of a result. */
export interface WireColumn {
  readonly name: string;
  /** The object id of its type. */
  readonly type: number;
}

/** The rows of a result, as they came. */
export interface RawRows {
  readonly columns: readonly WireColumn[];
  readonly bytes: Buffer;
  /** For each row where its first field begins: each field is a length (-1: null) and that many bytes. */
  readonly rows: number[];
}

/** The private connection of `pg` that this module needs. */
interface ConnectionInternals {
  readonly stream: Duplex;
  parse(message: { name: string; text: string; types: number[] }): void;
  bind(message: { statement: string; values: readonly string[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string; rows: number }): void;
  sync(): void;
}

type Settle = { readonly resolve: (bytes: Buffer) => void; readonly reject: (error: Error) => void };

const codes = { error: 0x45, ready: 0x5a, description: 0x54, row: 0x44, complete: 0x43 };

/** A connection that `pg` has opened, and whose bytes are read without it from then on. */
export class WireConnection {
  readonly #internals: ConnectionInternals;
  readonly #known = new Set<string>();
  #chunks: Buffer[] = [];
  #settle: Settle | null = null;

  constructor(client: pg.Client) {
    this.#internals = (client as unknown as { connection: ConnectionInternals }).connection;
    const { stream } = this.#internals;
    stream.removeAllListeners('data');
    stream.on('data', this.#onData);
  }

  static async open(url: string, settings: string): Promise<WireConnection> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(settings);
    return new WireConnection(client);
  }

  /** Sends the statements with one Sync. @returns the rows of each @throws Error the server's */
  async send(...statements: readonly FloorStatement[]): Promise<readonly RawRows[]> {
    const to = this.#internals;
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      this.#settle = { resolve, reject };
      to.stream.cork();
      for (const { statement, values, unnamed } of statements) {
        const name = unnamed ? '' : statement;
        if (!this.#known.has(name)) to.parse({ name, text: textOf(statement), types: [] });
        if (name) this.#known.add(name);
        to.bind({ statement: name, values: values.map(String) });
        to.describe({ type: 'P', name: '' });
        to.execute({ portal: '', rows: 0 });
      }
      to.sync();
      to.stream.uncork();
    });
    return resultsIn(bytes);
  }

  /** The last message of a trip is ReadyForQuery; only its last five bytes but one are these. */
  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    const end = chunk.length >= 6 ? chunk : Buffer.concat(this.#chunks);
    const at = end.length - 6;
    if (at < 0 || end[at] !== codes.ready || end.readInt32BE(at + 1) !== 5) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    if (!isWhole(bytes)) return;
    this.#chunks = [];
    this.#settle?.resolve(bytes);
  };
}

/** Whether the bytes end with a message. */
const isWhole = (bytes: Buffer): boolean => {
  let at = 0;
  while (at + 5 <= bytes.length) at += 1 + bytes.readInt32BE(at + 1);
  return at === bytes.length;
};

const resultsIn = (bytes: Buffer): readonly RawRows[] => {
  const results: RawRows[] = [];
  let columns: WireColumn[] = [];
  let rows: number[] = [];
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const code = bytes[at];
    if (code === codes.row) rows.push(at + 7);
    else if (code === codes.description) columns = columnsIn(bytes, at + 5);
    else if (code === codes.complete) {
      results.push({ columns, bytes, rows });
      [columns, rows] = [[], []];
    } else if (code === codes.error) throw new Error(bytes.toString('utf8', at + 5, at + 205));
  }
  return results;
};

const columnsIn = (bytes: Buffer, start: number): WireColumn[] => {
  let at = start + 2;
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    const end = bytes.indexOf(0, at);
    const column = { name: bytes.toString('utf8', at, end), type: bytes.readUInt32BE(end + 7) };
    at = end + 19;
    return column;
  });
};

/** Returns each connection in turn to whoever waits longest. */
export class WirePool {
  readonly #url: string;
  readonly #settings: string;
  readonly #free: WireConnection[] = [];
  readonly #waiting: ((connection: WireConnection) => void)[] = [];
  #left: number;

  /** @param settings what each connection sends first */
  constructor(url: string, size: number, settings: string) {
    this.#url = url;
    this.#settings = settings;
    this.#left = size;
  }

  async use<T>(work: (connection: WireConnection) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(connection);
      else this.#free.push(connection);
    }
  }

  #take(): Promise<WireConnection> {
    const free = this.#free.pop();
    if (free) return Promise.resolve(free);
    if (this.#left > 0) {
      this.#left--;
      return WireConnection.open(this.#url, this.#settings);
    }
    return new Promise(resolve => this.#waiting.push(resolve));
  }
}
