/**
 * Pools of database connections.
 * `pg` opens, authenticates and closes them; `Session` sends the statements.
 *
 * What is taken from `pg` beside its documented interface, as read in version 8.23.1 (`test/db/pool/driver.test.ts` fails if it moves):
 * - `client.connection`, whose event `errorMessage` is what `pg` handles an error of the server with;
 * - `client.connection.stream`, the socket or TLS socket, whose only `data` listener is the parser of `pg`: it is removed;
 * - `client.host`, `port`, `processID` and `secretKey`, to cancel a statement;
 * - `prepareValue` of `pg/lib/utils.js`, which converts values as `pg` does (messages.ts).
 *
 * Why the pipeline of `pg` (its option `pipeline`) does not do: it ends each statement with a Sync of its own, so that the server goes
 * on with what follows a failed one; it cannot commit in the trip of the last statement and reject a stale one there. It writes each
 * statement by itself, describes the columns of prepared ones anew each time, and makes a string of every value, where `Session` keeps
 * the bytes that the writer of JSON copies.
 */
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Connection, Pool, PoolOptions, RawResult, RawStatement } from '../connection.ts';
import { EmbeddedDatabase } from '../embedded/embedded.ts';
import { COMMIT, plain } from '../enter.ts';
import { DatabaseError, isStalePlan, toDatabaseError } from '../errors.ts';
import { type Cancellable, requestCancel } from './cancel.ts';
import { CommonStatements } from './common-statements.ts';
import { findDistribution, sendDistributed } from './distribution.ts';
import { Session } from './session.ts';
import { standardSettings } from './settings.ts';
import { type Release, Turns } from './turns.ts';

/** Interval in milliseconds at which cancellation is repeated while the statement still runs. */
const CANCEL_AGAIN = 200;
/** Milliseconds; creating an embedded database takes seconds, longer on a slow machine. */
const OPENING_EMBEDDED = 120_000;
/** Milliseconds within which a connection prepares a statement in advance. */
const WARM_UP = 10_000;
/** The longest time of a timer in milliseconds: Node.js ends a longer one at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Returns a pool of connections to the Postgres server at `url`; connections are made on demand. */
export const postgresPool = (url: string, options: PoolOptions): Pool =>
  poolOver(
    'postgres',
    {
      connectionString: url,
      max: options.size,
      connectionTimeoutMillis: options.timeout,
      keepAlive: true,
      // A new connection has to plan each statement anew: none is closed for being idle.
      idleTimeoutMillis: 0,
    },
    options,
    async () => {},
  );

/**
 * Returns a pool with the single connection of the embedded database.
 * `dataDir`, `template`: EmbeddedDatabase
 * @throws EmbeddedDatabaseError
 */
export const embeddedPool = (dataDir: string, options: Omit<PoolOptions, 'size'>, template?: Uint8Array): Pool => {
  const database = new EmbeddedDatabase(dataDir, template);
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
  { timeout: usual, prepared, onIdleError, opening = [] }: Omit<PoolOptions, 'size'>,
  closed: () => Promise<void>,
): Pool => {
  const pool = new pg.Pool({ ...config, allowExitOnIdle: true, application_name: 'staffing' });
  pool.on('error', onIdleError);
  let open = 0;
  const sessions = new WeakMap<pg.PoolClient, Session>();
  // At once: an error can come together with the message that the connection is ready, and `pg` throws one that nobody listens to.
  pool.on('connect', client => {
    open++;
    sessions.set(client, openSession(client, prepared));
  });
  pool.on('remove', () => open--);
  const turns = new Turns(config.max ?? 1);
  const common = prepared && opening.length > 0 ? new CommonStatements(opening) : null;
  let isDistributed = kind === 'embedded' ? false : null;
  return {
    kind,
    async connect(timeout = usual, owner = null) {
      // The first connection is being opened, for which `pg` itself limits the time.
      const connecting = open > 0 ? 0 : (config.connectionTimeoutMillis ?? 0);
      const release = await turns.take(owner, Math.max(timeout, connecting));
      const client = await pool.connect().catch(error => {
        release();
        throw toDatabaseError(error);
      });
      const isWanted = () => turns.wanted || pool.ending;
      const session = sessions.get(client) as Session;
      // Asked on the first connection: a database becomes a distributed one while no instance runs.
      isDistributed ??= await findDistribution(session).catch(error => {
        client.release(true);
        release();
        throw toDatabaseError(error);
      });
      return new PgConnection(client, session, { kind, isDistributed, release, isWanted, common });
    },
    usage: () => turns.usage,
    async end() {
      await pool.end();
      await closed();
    },
  };
};

/** Private properties of `pg` that this module needs. */
interface ClientInternals extends Cancellable {
  readonly connection: EventEmitter & { readonly stream: Duplex };
}

const internals = (client: pg.PoolClient): ClientInternals => client as unknown as ClientInternals;

/** Takes over the statements of a connection that `pg` has opened. */
const openSession = (client: pg.PoolClient, named: boolean): Session => {
  const { connection } = internals(client);
  const session = new Session(connection.stream, named, error => connection.emit('errorMessage', error));
  client.on('error', error => session.fail(error));
  client.on('end', () => session.fail(new Error('The connection has ended.')));
  // Sent before the first statement, in its trip.
  session.send([standardSettings]).then(
    ({ failure }) => failure && session.fail(failure.error),
    () => {},
  );
  return session;
};

/** What a connection knows of its pool. */
interface ConnectionDependencies {
  readonly kind: Pool['kind'];
  readonly isDistributed: boolean;
  /** Null: no warm-up. */
  readonly common: CommonStatements | null;
  readonly release: Release;
  /** Whether a connection is waited for. */
  readonly isWanted: () => boolean;
}

class PgConnection implements Connection {
  readonly #client: pg.PoolClient;
  readonly #session: Session;
  readonly #dependencies: ConnectionDependencies;
  #reading = false;
  #broken = false;
  #cancelled: NodeJS.Timeout | null = null;

  constructor(client: pg.PoolClient, session: Session, dependencies: ConnectionDependencies) {
    this.#client = client;
    this.#session = session;
    this.#dependencies = dependencies;
    client.on('error', this.#onError);
  }

  async send(statements: readonly RawStatement[], deadline?: number): Promise<readonly RawResult[]> {
    if (statements.length === 0) return [];
    if (this.#cancelled) throw new DatabaseError('timeout', new Error('The connection was cancelled.'));
    const { common, isDistributed } = this.#dependencies;
    if (isDistributed) return sendDistributed(statements, trip => this.#send(trip, deadline, statements));
    this.#reading ||= common?.isReading(statements[0]) ?? false;
    if (this.#reading) common?.record(statements);
    return this.#send(statements, deadline);
  }

  /** @param all those that the caller has sent, of which these are a trip */
  async #send(statements: readonly RawStatement[], deadline?: number, all = statements): Promise<readonly RawResult[]> {
    // Their results come together: a server ends each statement that takes too long, the embedded database ends none.
    const limited = this.#dependencies.kind === 'embedded' ? [] : statements.filter(({ values }) => values.length > 0);
    const allowed = deadline === undefined ? undefined : deadline * Math.max(1, limited.length);
    const timer =
      allowed === undefined ? undefined : setTimeout(() => this.#giveUp(allowed), Math.min(allowed, LONGEST_TIMER));
    try {
      const { results, failure, status } = await this.#session.send(statements);
      if (!failure) return results;
      this.#broken ||= isStalePlan(failure.error);
      // The server has skipped what follows the error.
      if (status === 'E' && all.some(({ text }) => text === COMMIT.text))
        await this.#session.send([rollback]).catch(() => {});
      throw toDatabaseError(failure.error, statements[failure.index]?.text);
    } catch (error) {
      throw this.#timedOut ?? toDatabaseError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #timedOut: DatabaseError | null = null;

  /** Closes the connection of a server that does not respond; of the embedded database, ends the thread. */
  #giveUp(deadline: number): void {
    this.#timedOut = new DatabaseError('timeout', new Error(`The database did not respond within ${deadline} ms.`));
    this.#broken = true;
    internals(this.#client).connection.stream.destroy();
  }

  cancel(): void {
    if (this.#dependencies.kind === 'embedded' || this.#cancelled) return;
    // The cancel request may arrive during the next statement, which must not be another caller's: the connection is not reused.
    this.#broken = true;
    const request = () => requestCancel(internals(this.#client));
    request();
    // The server ignores a cancel request that arrives between two statements.
    this.#cancelled = setInterval(request, CANCEL_AGAIN);
  }

  release(): void {
    if (this.#cancelled) clearInterval(this.#cancelled);
    const { common, isWanted, release } = this.#dependencies;
    // I: idle, no open transaction. In any other state, the next caller would continue this transaction.
    const isDirty = this.#broken || this.#session.status !== 'I';
    const warmUp = !common || isDirty || isWanted() ? null : common.warmUp(name => this.#session.knows(name));
    if (warmUp) {
      // Fails for a statement that does not accept nulls: it has been planned nevertheless.
      this.#send(warmUp, WARM_UP)
        .catch(() => {})
        .finally(() => {
          // One that the server does not parse any more would be in the next warm-up again.
          for (const { name } of warmUp) if (name !== null && !this.#session.knows(name)) common?.forget(name);
          this.release();
        });
      return;
    }
    this.#client.off('error', this.#onError);
    this.#client.release(isDirty);
    release();
  }

  readonly #onError = (): void => {
    this.#broken = true;
  };
}

const rollback = plain('rollback');
