import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Connection, Pool, PoolOptions, RawResult, RawStatement } from '../connection.ts';
import { EmbeddedDatabase } from '../embedded/embedded.ts';
import { DatabaseError, isStalePlan, toDatabaseError } from '../errors.ts';
import { requestCancel, type Session } from './cancel.ts';
import { CommonStatements } from './common-statements.ts';
import { StatementNames } from './statement-names.ts';
import { type Leave, Turns } from './turns.ts';

/** Interval in milliseconds at which cancellation is repeated while the statement still runs. */
const CANCEL_AGAIN = 200;
/** Milliseconds; creating an embedded database takes seconds, longer on a slow machine. */
const OPENING_EMBEDDED = 120_000;
/** Milliseconds within which a connection learns a statement. */
const LESSON = 10_000;
/** Maximum number of named statements per connection. */
const MAX_NAMES = 500;

/** Returns a pool of connections to the Postgres server at `url`; connections are made on demand. */
export const postgresPool = (url: string, options: PoolOptions): Pool =>
  poolOver(
    'postgres',
    {
      connectionString: url,
      max: options.size,
      connectionTimeoutMillis: options.patience,
      keepAlive: true,
      // A new connection has to plan each statement anew: none is closed for being idle.
      idleTimeoutMillis: 0,
    },
    options,
    async () => {},
  );

/**
 * Returns a pool with the single connection of the embedded database (see EmbeddedDatabase for `dataDir`).
 * @throws EmbeddedDatabaseError
 */
export const embeddedPool = (dataDir: string, options: Omit<PoolOptions, 'size'>): Pool => {
  const database = new EmbeddedDatabase(dataDir);
  const config = {
    stream: () => database.stream(),
    ...{ host: 'embedded', port: 0, user: 'postgres', password: '', database: 'postgres', ssl: false },
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: OPENING_EMBEDDED,
  };
  return poolOver('embedded', config, options, () => database.close());
};

const poolOver = (
  kind: Pool['kind'],
  config: pg.PoolConfig,
  { patience: usual, prepared, onIdleError, opening = [] }: Omit<PoolOptions, 'size'>,
  closed: () => Promise<void>,
): Pool => {
  const pool = new pg.Pool({ ...config, pipeline: true, allowExitOnIdle: true, application_name: 'staffing' });
  pool.on('error', onIdleError);
  let open = 0;
  pool.on('connect', () => open++);
  pool.on('remove', () => open--);
  const turns = new Turns(config.max ?? 1);
  const common = new CommonStatements(prepared ? opening : []);
  const sessions = new WeakMap<pg.PoolClient, StatementNames>();
  const namesOf = (client: pg.PoolClient): StatementNames => {
    const known = sessions.get(client) ?? new StatementNames(MAX_NAMES, name => forget(client, name));
    sessions.set(client, known);
    return known;
  };
  return {
    kind,
    async connect(patience = usual, holder = null) {
      // The first connection is being opened, for which `pg` itself limits the time.
      const connecting = open > 0 ? 0 : (config.connectionTimeoutMillis ?? 0);
      const leave = await turns.take(holder, Math.max(patience, connecting));
      const client = await pool.connect().catch(error => {
        leave();
        throw toDatabaseError(error);
      });
      const isWanted = () => turns.wanted || pool.ending;
      return new PgConnection(client, { names: prepared ? namesOf(client) : null, kind, leave, isWanted, common });
    },
    usage: () => turns.usage,
    async end() {
      await pool.end();
      await closed();
    },
  };
};

/** Private properties of `pg` that this module needs. */
interface Internals extends Session {
  readonly connection: {
    readonly stream: Duplex;
    readonly parsedStatements: Record<string, string>;
    readonly submittedNamedStatements: Record<string, string>;
    close(message: { type: 'S'; name: string }): void;
  };
}

const internals = (client: pg.PoolClient): Internals['connection'] => (client as unknown as Internals).connection;

/**
 * Removes a prepared statement from server and driver. Uses the protocol's Close message rather than DEALLOCATE: it also works in a
 * failed transaction and through poolers. The server processes it before the next statement.
 */
const forget = (client: pg.PoolClient, name: string): void => {
  const connection = internals(client);
  delete connection.parsedStatements[name];
  delete connection.submittedNamedStatements[name];
  connection.close({ type: 'S', name });
};

const asText = (text: string): string => text;
/** Disables parsing: every value stays in Postgres's text format. */
const types = { getTypeParser: () => asText } as unknown as pg.CustomTypesConfig;

type Settle = (statement: RawStatement, error: Error | null, result?: DriverResult) => void;
type DriverResult = pg.QueryArrayResult | readonly pg.QueryArrayResult[];

/** What a connection knows of its pool. */
interface Surroundings {
  readonly kind: Pool['kind'];
  /** Null: statements are not named. */
  readonly names: StatementNames | null;
  readonly common: CommonStatements;
  readonly leave: Leave;
  /** Whether a connection is waited for. */
  readonly isWanted: () => boolean;
}

class PgConnection implements Connection {
  readonly #client: pg.PoolClient;
  readonly #surroundings: Surroundings;
  #reading = false;
  #broken = false;
  #cancelled: NodeJS.Timeout | null = null;

  constructor(client: pg.PoolClient, surroundings: Surroundings) {
    this.#client = client;
    this.#surroundings = surroundings;
    // Without a listener, the event would end the process; in-flight statements receive the error as well.
    client.on('error', this.#onError);
  }

  send(statements: readonly RawStatement[], deadline?: number): Promise<readonly RawResult[]> {
    if (statements.length === 0) return Promise.resolve([]);
    if (this.#cancelled)
      return Promise.reject(new DatabaseError('timeout', new Error('The connection was cancelled.')));
    const { common } = this.#surroundings;
    this.#reading ||= common.isReading(statements[0]);
    if (this.#reading) common.learn(statements);
    return this.#send(statements, deadline);
  }

  #send(statements: readonly RawStatement[], deadline: number | undefined): Promise<readonly RawResult[]> {
    const { stream } = internals(this.#client);
    return new Promise((resolve, reject) => {
      const results: RawResult[] = [];
      let left = statements.length;
      let failure: DatabaseError | null = null;
      const timer = deadline === undefined ? null : setTimeout(() => this.#giveUp(deadline), deadline);
      const settle: Settle = (statement, error, result) => {
        timer?.refresh();
        if (error) {
          this.#broken ||= isStalePlan(error);
          failure ??= this.#timedOut ?? toDatabaseError(error, statement.text);
        } else if (result) results.push(...[result].flat().map(rawResult));
        if (--left > 0) return;
        if (timer) clearTimeout(timer);
        if (failure) reject(failure);
        else resolve(results);
      };
      stream.cork();
      for (const statement of statements) this.#submit(statement, settle);
      stream.uncork();
    });
  }

  #timedOut: DatabaseError | null = null;

  /** Closes the connection of a server that does not respond. For the embedded database, which has no timeouts, this ends the thread. */
  #giveUp(deadline: number): void {
    this.#timedOut = new DatabaseError('timeout', new Error(`The database did not respond within ${deadline} ms.`));
    this.#broken = true;
    internals(this.#client).stream.destroy();
  }

  #submit(statement: RawStatement, settle: Settle): void {
    const { name, text, values } = statement;
    const { names } = this.#surroundings;
    const named = name !== null && names !== null;
    if (named) names.use(name);
    const query = { text, values: values as unknown[], rowMode: 'array' as const, types };
    this.#client.query(named ? { ...query, name } : query, (error, result) => settle(statement, error, result));
  }

  cancel(): void {
    if (this.#surroundings.kind === 'embedded' || this.#cancelled) return;
    // The cancel request may arrive during the next statement, which must not be another caller's: the connection is not reused.
    this.#broken = true;
    const request = () => requestCancel(this.#client as unknown as Internals);
    request();
    // The server ignores a cancel request that arrives between two statements.
    this.#cancelled = setInterval(request, CANCEL_AGAIN);
  }

  release(): void {
    if (this.#cancelled) clearInterval(this.#cancelled);
    const { names, common, isWanted, leave } = this.#surroundings;
    const lesson = names && !this.#isDirty && !isWanted() ? common.lesson(name => names.has(name)) : null;
    if (lesson) {
      // Fails for a statement that does not accept nulls: it has been planned nevertheless.
      this.#send(lesson, LESSON)
        .catch(() => {})
        .finally(() => this.release());
      return;
    }
    this.#client.off('error', this.#onError);
    this.#client.release(this.#isDirty);
    leave();
  }

  get #isDirty(): boolean {
    // I: idle, no open transaction. In any other state, the next caller would continue this transaction.
    return this.#broken || this.#client.getTransactionStatus() !== 'I';
  }

  readonly #onError = (): void => {
    this.#broken = true;
  };
}

const rawResult = ({ fields, rows, rowCount, command }: pg.QueryArrayResult): RawResult => ({
  columns: fields.map(({ name }) => name),
  types: fields.map(({ dataTypeID }) => dataTypeID),
  rows,
  affected: rowCount ?? 0,
  command,
});
