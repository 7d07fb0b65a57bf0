import assert from 'node:assert/strict';
import type { Caller } from './caller.ts';
import { misplaced, type SentWrite } from './order.ts';
import type { Random } from './random.ts';
import type { Replica } from './replica.ts';
import { randomWrite } from './writer.ts';

/** Random writes, a reader that follows them, and the comparison of what it has with the listings. */
export class Trial {
  readonly #replica: Replica;
  readonly #call: Caller;
  readonly #random: Random;
  /** Copies of readers who see less, by what they see. */
  readonly #others: ReadonlyMap<string, Replica>;
  readonly #writes = new Map<string, SentWrite>();
  /** How often each operation that was sent has succeeded. */
  readonly #outcomes = new Map<string, number>();
  #count = 0;
  succeeded = 0;
  #lost = 0;
  #kills = 0;

  constructor(replica: Replica, call: Caller, random: Random, others: ReadonlyMap<string, Replica> = new Map()) {
    this.#others = others;
    this.#replica = replica;
    this.#call = call;
    this.#random = random;
  }

  get sent(): number {
    return this.#count;
  }

  async load(): Promise<void> {
    for (const replica of [this.#replica, ...this.#others.values()]) await replica.load();
  }

  /**
   * Sends so many writes while the reader follows, then compares.
   * @param kill kills the server and starts it again: once while the writes are sent
   */
  async round(count: number, concurrency: number, kill?: () => Promise<void>): Promise<void> {
    let left = count;
    let up = Promise.resolve();
    const killAt = kill ? this.#random.integer(Math.ceil(count / 4), count - 1) : -1;
    const writer = async (): Promise<void> => {
      while (left > 0) {
        if (left-- === killAt && kill) {
          this.#kills++;
          up = kill();
        }
        if (!(await this.#write())) await up;
      }
    };
    const writers = Promise.all(Array.from({ length: concurrency }, writer));
    let writing = true;
    const ended = writers.finally(() => {
      writing = false;
    });
    // A failure of the reader is reported first.
    ended.catch(() => {});
    while (writing) await this.#read();
    await ended;
    await up;
    await this.#compare();
  }

  /** Sends one random write. @returns whether there was a response */
  async #write(): Promise<boolean> {
    const { operation, method, path, body } = randomWrite(resource => this.#replica.ids(resource), this.#random);
    const id = `w-${++this.#count}`;
    const sent = performance.now();
    const response = await this.#call(method, path, body, id);
    if (response) this.#writes.set(id, { sent, received: performance.now() });
    const status = response?.status ?? 0;
    assert.notEqual(status, 500, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(response?.body)}`);
    if (!response) this.#lost++;
    const done = status >= 200 && status < 300;
    if (done) this.succeeded++;
    this.#outcomes.set(operation.operationId, (this.#outcomes.get(operation.operationId) ?? 0) + Number(done));
    return response !== null;
  }

  /** Reads on, with any limit; now and then stores what it has, or forgets what it has read since. */
  async #read(): Promise<void> {
    await this.#replica.step(this.#random.pick([1, 7, 50, 1000]) as number, 1);
    const turn = this.#random.next();
    if (turn < 0.2) this.#replica.store();
    else if (turn < 0.4) this.#replica.restart();
  }

  /** Compares when nothing more comes: automations may still be at work. */
  async #compare(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      while (!(await this.#replica.step(1000)));
      await this.#replica.refresh();
      const differences = await this.#replica.differences();
      if (differences.length === 0) break;
      const before = this.#replica.last;
      while (!(await this.#replica.step(1000)));
      if (this.#replica.last === before || attempt === 20)
        assert.deepEqual(differences, [], `after ${this.#count} writes`);
    }
    this.#replica.store();
    for (const [sight, replica] of this.#others) {
      while (!(await replica.step(this.#random.pick([7, 1000]) as number)));
      await replica.refresh();
      assert.deepEqual(await replica.differences(), [], `${sight}, after ${this.#count} writes`);
    }
  }

  /** Checks that of two writes the one whose response came before the other was sent has the lower position. */
  checkOrder(): void {
    assert.equal(misplaced(this.#replica.positions, this.#writes), null);
  }

  /** The operations that were sent but never succeeded. */
  get failed(): readonly string[] {
    return [...this.#outcomes].filter(([, succeeded]) => succeeded === 0).map(([name]) => name);
  }

  summary(): string {
    const kinds = this.#outcomes.size - this.failed.length;
    return `${this.#count} writes by ${this.#outcomes.size} operations, ${this.succeeded} by ${kinds} succeeded, \
${this.#lost} without a response, ${this.#kills} kills`;
  }
}
