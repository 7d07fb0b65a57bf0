import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Connection, Pool, PoolOptions, RawResult, RawStatement } from '../connection.ts';
import { EmbeddedDatabase } from '../embedded/embedded.ts';
import { DatabaseError, isStalePlan, toDatabaseError } from '../errors.ts';
import { requestCancel, type Session } from './cancel.ts';
import { StatementNames } from './statement-names.ts';
import { type Leave, Turns } from './turns.ts';

/** Interval in milliseconds at which cancellation is repeated while the statement still runs. */
const CANCEL_AGAIN = 200;
/** Milliseconds; creating an embedded database takes seconds, longer on a slow machine. */
const OPENING_EMBEDDED = 120_000;
/** Maximum number of named statements per connection. */
const MAX_NAMES = 500;

/** Returns a pool of connections to the Postgres server at `url`; connections are made on demand. */
export const postgresPool = (url: string, options: PoolOptions): Pool =>
  poolOver(
    'postgres',
    { connectionString: url, max: options.size, connectionTimeoutMillis: options.patience, keepAlive: true },
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
  { patience: usual, prepared, onIdleError }: Omit<PoolOptions, 'size'>,
  closed: () => Promise<void>,
): Pool => {
  const pool = new pg.Pool({ ...config, pipeline: true, allowExitOnIdle: true, application_name: 'staffing' });
  pool.on('error', onIdleError);
  let open = 0;
  pool.on('connect', () => open++);
  pool.on('remove', () => open--);
  const turns = new Turns(config.max ?? 1);
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
      const opening = open > 0 ? 0 : (config.connectionTimeoutMillis ?? 0);
      const leave = await turns.take(holder, Math.max(patience, opening));
      const client = await pool.connect().catch(error => {
        leave();
        throw toDatabaseError(error);
      });
      return new PgConnection(client, prepared ? namesOf(client) : null, kind, leave);
    },
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

class PgConnection implements Connection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames | null;
  readonly #kind: Pool['kind'];
  readonly #leave: Leave;
  #broken = false;
  #cancelled: NodeJS.Timeout | null = null;

  constructor(client: pg.PoolClient, names: StatementNames | null, kind: Pool['kind'], leave: Leave) {
    this.#client = client;
    this.#leave = leave;
    this.#names = names;
    this.#kind = kind;
    // Without a listener, the event would end the process; in-flight statements receive the error as well.
    client.on('error', this.#onError);
  }

  send(statements: readonly RawStatement[], deadline?: number): Promise<readonly RawResult[]> {
    if (statements.length === 0) return Promise.resolve([]);
    if (this.#cancelled)
      return Promise.reject(new DatabaseError('timeout', new Error('The connection was cancelled.')));
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
    const named = name !== null && this.#names !== null;
    if (named) this.#names.use(name);
    const query = { text, values: values as unknown[], rowMode: 'array' as const, types };
    this.#client.query(named ? { ...query, name } : query, (error, result) => settle(statement, error, result));
  }

  cancel(): void {
    if (this.#kind === 'embedded' || this.#cancelled) return;
    // The cancel request may arrive during the next statement, which must not be another caller's: the connection is not reused.
    this.#broken = true;
    const request = () => requestCancel(this.#client as unknown as Internals);
    request();
    // The server ignores a cancel request that arrives between two statements.
    this.#cancelled = setInterval(request, CANCEL_AGAIN);
  }

  release(): void {
    this.#client.off('error', this.#onError);
    if (this.#cancelled) clearInterval(this.#cancelled);
    // I: idle, no open transaction. In any other state, the next caller would continue this transaction.
    const dirty = this.#broken || this.#client.getTransactionStatus() !== 'I';
    this.#client.release(dirty);
    this.#leave();
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
