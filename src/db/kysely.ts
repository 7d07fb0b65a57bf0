import { createHash } from 'node:crypto';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { Connection, Pool, RawResult, RawStatement } from './connection.ts';
import { plain } from './enter.ts';
import { journalColumns } from './journal/write.ts';
import { parserOf } from './values.ts';

type SendRaw = (statements: readonly RawStatement[]) => Promise<readonly RawResult[]>;

/** Returns a Kysely instance for an open transaction. */
export const kyselyWithin = <Tables>(send: SendRaw, plugins: KyselyPlugin[]): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: dialectOf(new TransactionDriver(send)), plugins });

/** Timeouts in milliseconds; undefined: no timeout. */
interface TimeLimits {
  /** Of a statement. */
  readonly deadline?: number;
  /** Of the wait for a connection. */
  readonly timeout?: number;
}

/** Returns a Kysely instance over the pool: each statement or transaction uses one connection. */
export const kyselyOn = <Tables>(pool: Pool, limits: TimeLimits = {}): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: dialectOf(new PoolDriver(pool, limits)) });

/** Returns a Kysely instance that only compiles. */
export const compileOnly = <Tables>(plugin: KyselyPlugin): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: dialectOf(new DummyDriver()), plugins: [plugin] });

const dialectOf = (driver: Driver): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => driver,
  createIntrospector: database => new PostgresIntrospector(database),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});

class KyselyConnection implements DatabaseConnection {
  readonly send: SendRaw;
  readonly #release: () => void;

  constructor(send: SendRaw, release: () => void) {
    this.send = send;
    this.#release = release;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const [result] = (await this.send([statementOf(query)])) as [RawResult];
    const rows = rowsOf<R>(result);
    return changes.has(result.command) ? { rows, numAffectedRows: BigInt(result.affected) } : { rows };
  }

  // biome-ignore lint/correctness/useYield: part of the interface; a pipelined connection has no cursors
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Streaming is not supported: read all rows, or read them in pages.');
  }

  release(): void {
    this.#release();
  }
}

const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Returns the statement of a compiled query. */
export const statementOf = ({ sql: text, parameters: values, query }: CompiledQuery): RawStatement => ({
  // Schema definitions run only once: preparing them has no benefit.
  name: query.kind.endsWith('QueryNode') ? nameOf(text) : null,
  text,
  values,
});

const nameOf = (text: string): string => `k_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;

/** Returns the rows of a result as objects, their values parsed by the types of the columns. */
export const rowsOf = <Row>({ columns, types, rows }: RawResult, parserFor = parserOf): Row[] => {
  const parsers = types.map(type => parserFor(type));
  return rows.map(row => {
    const made: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) {
      if (journalColumns.has(column)) continue;
      const text = row[index] as string | null;
      const parse = parsers[index];
      made[column] = text === null || !parse ? text : parse(text);
    }
    return made as Row;
  });
};

class TransactionDriver extends DummyDriver {
  readonly #connection: KyselyConnection;

  constructor(send: SendRaw) {
    super();
    this.#connection = new KyselyConnection(send, () => {});
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  override async beginTransaction(): Promise<void> {
    throw new Error('This query already runs in a transaction.');
  }
}

class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #limits: TimeLimits;

  constructor(pool: Pool, limits: TimeLimits) {
    this.#pool = pool;
    this.#limits = limits;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const { deadline, timeout = Number.POSITIVE_INFINITY } = this.#limits;
    const connection: Connection = await this.#pool.connect(timeout);
    return new KyselyConnection(
      statements => connection.send(statements, deadline),
      () => connection.release(),
    );
  }

  async beginTransaction(connection: KyselyConnection, { isolationLevel }: TransactionSettings): Promise<void> {
    await control(connection, isolationLevel ? `begin isolation level ${isolationLevel}` : 'begin');
  }

  async commitTransaction(connection: KyselyConnection): Promise<void> {
    const [result] = await control(connection, 'commit');
    if (result?.command === 'ROLLBACK')
      throw new Error('The transaction was rolled back, since one of its statements failed.');
  }

  async rollbackTransaction(connection: KyselyConnection): Promise<void> {
    await control(connection, 'rollback');
  }

  async releaseConnection(connection: KyselyConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}

const control = (connection: KyselyConnection, text: string): Promise<readonly RawResult[]> =>
  connection.send([plain(text)]);
