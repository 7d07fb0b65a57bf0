import type { Kysely } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import type { Origin } from '../core/origin.ts';
import type { Tenant } from '../core/principal.ts';
import { tenantPlugin } from './binding/tenant-plugin.ts';
import type { RawResult } from './connection.ts';
import type { RowsOf, Sendable, Statement, Transaction } from './database.ts';
import type { Ids } from './id-blocks/ids.ts';
import { Entries, type JournalledStatement } from './journal/entries.ts';
import { kyselyWithin, rowsOf, statementOf } from './kysely.ts';
import { SharedTrips, type WorkSender } from './together/shared-trips.ts';
import type { Trips } from './trips.ts';

/** A transaction of one tenant, or a piece of work in it: statements, ids, and the journal's entries. */
export class TenantTransaction implements Transaction {
  readonly tenant: Tenant;
  readonly #trips: Trips;
  readonly #sender: WorkSender;
  readonly #ids: Ids;
  readonly #origin: Origin | null;
  /** Null: it only reads. */
  readonly #entries: Entries | null;
  /** Whether it ends with the last statements that it sends: nothing else is a part of it. */
  readonly #ends: boolean;
  #kysely: Kysely<Tables> | null = null;

  /**
   * @param origin what causes its changes; null: it only reads
   * @param sender of the statements of one of several pieces of work; default: the trips
   */
  constructor(tenant: Tenant, trips: Trips, ids: Ids, origin: Origin | null, ends: boolean, sender?: WorkSender) {
    this.tenant = tenant;
    this.#ids = ids;
    this.#trips = trips;
    this.#sender = sender ?? trips;
    this.#origin = origin;
    this.#ends = ends;
    this.#entries = origin && new Entries(tenant.id, origin);
    if (!sender) trips.closing = this.#entries;
  }

  async send(...statements: readonly JournalledStatement[]) {
    const enter = this.#entries?.entering(statements);
    const results = await this.#sender.send(statements);
    enter?.(results);
    return results;
  }

  async finish(...statements: readonly Statement[]) {
    const enter = this.#entries?.entering(statements);
    const ends = this.#ends && this.#entries?.areKnown !== false;
    const results = await (ends ? this.#trips.finish(statements) : this.#sender.send(statements));
    enter?.(results);
    return results;
  }

  async run<Queries extends readonly Sendable[]>(...queries: Queries): Promise<RowsOf<Queries>> {
    const results = await this.send(...this.#statementsOf(queries));
    return results.map(result => rowsOf(result)) as RowsOf<Queries>;
  }

  defer<Queries extends readonly Sendable[]>(...queries: Queries): Promise<RowsOf<Queries>> {
    const { promise, resolve, reject } = Promise.withResolvers<RowsOf<Queries>>();
    const statements = this.#statementsOf(queries);
    const enter = this.#entries?.entering(statements);
    const take = (results: readonly RawResult[]) => {
      enter?.(results);
      resolve(results.map(result => rowsOf(result)) as RowsOf<Queries>);
    };
    this.#sender.defer({ statements, resolve: take, reject });
    // An error is that of the trip, too.
    promise.catch(() => {});
    return promise;
  }

  #statementsOf(queries: readonly Sendable[]): readonly JournalledStatement[] {
    return queries.map(query => {
      if ('text' in query) return query;
      return 'for' in query ? query.for(this.tenant.id) : statementOf(query.compile());
    });
  }

  /** Runs a part of the transaction: the changes of a part that throws are not entered in the journal. */
  part<T>(work: () => Promise<T>): Promise<T> {
    return this.#entries ? this.#entries.part(work) : work();
  }

  async together<T>(works: readonly ((transaction: Transaction) => Promise<T>)[]) {
    const shared = new SharedTrips(this.#trips, works.length);
    const parts = works.map((work, index) => {
      const sender = shared.senderOf(index);
      const part = new TenantTransaction(this.tenant, this.#trips, this.#ids, this.#origin, false, sender);
      return { work, sender, part };
    });
    const settled = await Promise.allSettled(
      parts.map(async ({ work, sender, part }) => {
        try {
          const value = await work(part);
          sender.end();
          return value;
        } catch (error) {
          sender.abandon(error);
          throw error;
        }
      }),
    );
    await shared.end();
    if (this.#trips.failure) throw this.#trips.failure;
    for (const [index, { sender, part }] of parts.entries()) {
      const result = settled[index];
      if (result?.status === 'fulfilled') this.#entries?.add(part.#entries);
      else if (sender.hasWritten) throw result?.reason;
    }
    return settled;
  }

  afterwards(statement: Statement): void {
    this.#trips.afterwards.push(statement);
  }

  newIds(table: string, count: number): Promise<readonly number[]> {
    return this.#ids.take({ tenantId: this.tenant.id, trips: this.#trips, asTenant: true }, table, count);
  }

  get kysely(): Kysely<Tables> {
    this.#kysely ??= kyselyWithin<Tables>(statements => this.send(...statements), [tenantPlugin(this.tenant.id)]);
    return this.#kysely;
  }
}
