import type { Entered, Result, Statement } from '../database.ts';

/** What was read of a tenant earlier. */
export interface Earlier extends Entered {
  /** The version of the tenant's fields. */
  readonly version: string;
  /** The names of the journalled resources that it was read from. */
  readonly resources: Iterable<string>;
}

/** Returns the bounds of a snapshot: ids below `start` have ended, those from `end` on are not given. */
export const boundsOf = (snapshot: string): { readonly start: bigint; readonly end: bigint } => {
  const [start = '', end = ''] = snapshot.split(':');
  return { start: BigInt(start), end: BigInt(end) };
};

interface Question extends PromiseWithResolvers<boolean> {
  readonly tenantId: number;
}

/**
 * Asks the database whether what was read earlier is still what tenants have (snapshots.sql).
 * Questions that come while one statement is under way are asked together in the next: each begins after its question, so that it sees
 * what was committed before.
 */
export class SnapshotChecks {
  readonly #send: (statement: Statement) => Promise<Pick<Result, 'rows'>>;
  #waiting = new Map<Earlier, Question>();
  #asking = false;

  constructor(send: (statement: Statement) => Promise<Pick<Result, 'rows'>>) {
    this.#send = send;
  }

  /** @throws DatabaseError */
  holds(tenantId: number, earlier: Earlier): Promise<boolean> {
    const question = this.#waiting.get(earlier) ?? { tenantId, ...Promise.withResolvers<boolean>() };
    this.#waiting.set(earlier, question);
    if (!this.#asking) void this.#ask();
    return question.promise;
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting];
      this.#waiting = new Map();
      try {
        const { rows } = await this.#send(holdStatement(batch));
        const verdicts = rows[0]?.[0]?.slice(1, -1).split(',') ?? [];
        for (const [index, [, { resolve }]] of batch.entries()) resolve(verdicts[index] === 't');
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    this.#asking = false;
  }
}

/** An index finds the changes since each snapshot, however many there were before. */
const holdStatement = (batch: readonly (readonly [Earlier, Question])[]): Statement => ({
  name: 'snapshots_hold',
  text: 'select snapshots_hold($1, $2, $3, $4, $5)',
  values: [
    arrayOf(batch.map(([, { tenantId }]) => String(tenantId))),
    arrayOf(batch.map(([{ version }]) => version)),
    arrayOf(batch.map(([{ resources }]) => `{${[...resources]}}`)),
    arrayOf(batch.map(([{ snapshot }]) => snapshot)),
    arrayOf(batch.map(([{ server }]) => server)),
  ],
});

const arrayOf = (texts: readonly string[]): string => `{${texts.map(text => `"${text}"`).join(',')}}`;
