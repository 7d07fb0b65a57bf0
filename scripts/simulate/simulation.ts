import { setTimeout as pause } from 'node:timers/promises';
import type { Caller as Reading } from '../../test/replica/caller.ts';
import { copiedBy } from '../../test/replica/copied.ts';
import { Random } from '../../test/replica/random.ts';
import { Replica } from '../../test/replica/replica.ts';
import type { ApiResponse, Asked as Request } from '../../test/support/app.ts';
import { operations } from '../../test/support/operations.ts';
import { Scene } from '../../test/support/scene.ts';
import { jsonOf, type MoveRequest, SimulatedCaller } from './caller.ts';
import { cast } from './cast.ts';
import { invariants } from './invariants.ts';
import type { Ledger } from './ledger.ts';
import { type SceneStage, scenes } from './scenes.ts';
import type { SimulatedServer } from './server.ts';
import type { Simulated, SimulatedRow } from './simulated.ts';
import type { CallerMove } from './situation.ts';
import { SimulatedUser } from './users.ts';

/** Simulates callers, an administration and followers on a server, for a number of requests. */
export class Simulation implements Simulated {
  readonly server: SimulatedServer;
  readonly ledger: Ledger;
  readonly users: SimulatedUser[] = [];
  readonly replicas = new Map<string, Replica>();
  readonly #random: Random;
  readonly #total: number;
  readonly #noted = new Map<string, number[]>();
  #reader: SimulatedCaller | null = null;
  #left: number;
  violations: readonly string[] = [];

  constructor(server: SimulatedServer, ledger: Ledger, random: Random, total: number) {
    this.server = server;
    this.ledger = ledger;
    this.#random = random;
    this.#total = total;
    this.#left = total;
  }

  async run(): Promise<void> {
    const { server, ledger } = this;
    for (const { name, access } of cast) this.users.push(await SimulatedUser.create(server, name, access));
    const checker = await SimulatedUser.create(server, 'checker', {});
    this.users.push(checker);
    this.#reader = new SimulatedCaller(checker, server, ledger, this.#random, false);
    await this.#fill(this.#reader);
    this.replicas.set('checker', await this.#replicaOf(checker));
    // Two parts, so that what goes wrong early is found before it is hidden by what follows.
    for (const share of [0.4, 0.6]) {
      for (const scene of scenes) await scene(this.#stage(this.#reader));
      this.#left = Math.ceil(this.#total * share);
      const calling = cast.map(({ moves }, index) => this.#call(this.users[index] as SimulatedUser, moves));
      const following = this.users.slice(0, cast.length).map(user => this.#follow(user));
      await Promise.all([...calling, ...following, this.#administer(), this.#replicate()]);
      await this.#check();
      if (this.violations.length > 0) return;
    }
  }

  readonly get = async (path: string): Promise<SimulatedRow> => {
    const served = await (this.#reader as SimulatedCaller).ask({ method: 'GET', path });
    if (served?.status !== 200) throw new Error(`GET ${path}: ${served?.text}`);
    return jsonOf(served) as SimulatedRow;
  };

  readonly list = async (path: string): Promise<readonly SimulatedRow[]> =>
    (await this.get(path)) as readonly SimulatedRow[];

  readonly #ids = (resource: string): readonly number[] => {
    const known = this.replicas.get('checker')?.ids(resource) ?? [];
    return known.length > 0 ? known : (this.#noted.get(resource) ?? []);
  };

  /** Creates two records of each resource from the document's examples. */
  async #fill(caller: SimulatedCaller): Promise<void> {
    const call = async (method: string, path: string, { body }: Request = {}) => {
      const served = await caller.ask({ method, path, body, ...(Buffer.isBuffer(body) && { type: 'text/plain' }) });
      if (!served) throw new Error(`${method} ${path} got no response`);
      return { ...served, body: jsonOf(served) } as unknown as ApiResponse;
    };
    const { database, tenant } = this.server;
    for (let round = 0; round < 2; round++) {
      const scene = new Scene({ call, database, tenant });
      for (const resource of new Set(operations.filter(({ verb }) => verb === 'create').map(each => each.resource)))
        await scene.idOf(resource);
    }
  }

  #stage(checker: SimulatedCaller): SceneStage {
    const userOf = (name: string): SimulatedUser =>
      this.users.find(user => user.name === name) ?? (this.users[0] as SimulatedUser);
    const post = async (path: string, body: object): Promise<SimulatedRow> => {
      const served = await checker.ask({ method: 'POST', path, body });
      if (served?.status !== 201) throw new Error(`POST ${path}: ${served?.text}`);
      return jsonOf(served) as SimulatedRow;
    };
    const by = (user: SimulatedUser) => new SimulatedCaller(user, this.server, this.ledger, this.#random, false);
    return { checker, list: this.list, post, userOf, by };
  }

  async #replicaOf(user: SimulatedUser): Promise<Replica> {
    const caller = new SimulatedCaller(user, this.server, this.ledger, this.#random, false);
    const call: Reading = async (method, path) => {
      const served = await caller.ask({ method, path });
      return served && { status: served.status, body: jsonOf(served) };
    };
    const { hidden, scopes } = user.view;
    const sees = hidden.length + scopes.length > 0 ? [copiedBy({ hidden, scopes })] : [];
    const replica = new Replica(call, ...sees);
    await replica.load();
    return replica;
  }

  async #call(user: SimulatedUser, moves: readonly CallerMove[]): Promise<void> {
    const random = new Random(this.#random.integer(0, 2 ** 31));
    const caller = new SimulatedCaller(user, this.server, this.ledger, random);
    const ask = async (asked: MoveRequest) => {
      this.#left--;
      const served = await caller.ask(asked);
      const { id } = (jsonOf(served) ?? {}) as { readonly id?: unknown };
      const resource = asked.path.split(/[/?]/)[1] ?? '';
      if (served && [201, 202].includes(served.status) && typeof id === 'number')
        this.#note(served.status === 202 ? 'imports' : resource, id);
      return served;
    };
    while (this.#left > 0) {
      await pause(random.chance(0.5) ? 1 : random.integer(1, 300));
      const asked = await random.pick(moves)?.({ random, user, ids: this.#ids, ask });
      if (asked) await ask(asked);
    }
  }

  #note(resource: string, id: number): void {
    this.#noted.set(resource, [...(this.#noted.get(resource) ?? []), id]);
  }

  /** Waits for changes, again and again. */
  async #follow(user: SimulatedUser): Promise<void> {
    const random = new Random(this.#random.integer(0, 2 ** 31));
    const caller = new SimulatedCaller(user, this.server, this.ledger, random);
    let after = 'now';
    while (this.#left > 0) {
      const served = await caller.ask({
        method: 'GET',
        path: `/changes?after=${after}&wait=${random.integer(1, 6)}&include=record`,
      });
      const { next } = (jsonOf(served) ?? {}) as { readonly next?: string };
      after = served?.status === 200 && next ? next : 'now';
      await pause(served?.status === 200 ? 1 : 1500);
    }
  }

  /** Restricts API users and gives back what was taken. */
  async #administer(): Promise<void> {
    const random = new Random(this.#random.integer(0, 2 ** 31));
    const changing = this.users.slice(1, cast.length);
    while (this.#left > 0) {
      await pause(random.integer(200, 4000));
      const index = random.integer(0, changing.length - 1);
      const [user, usual] = [changing[index] as SimulatedUser, cast[index + 1]?.access ?? {}];
      const scopes = usual.scopes ?? [];
      await random.pick([
        () => user.renewToken(),
        () => user.change({ hidden: ['pay', 'contact', 'personal'] }),
        () => user.change({ active: false }),
        () => user.change({ scopes: scopes.length > 0 ? scopes.slice(0, 2) : ['clients:read', 'events:read'] }),
        ...Array(3).fill(() => user.change({ hidden: usual.hidden ?? [], scopes, active: true })),
      ])?.();
    }
  }

  async #replicate(): Promise<void> {
    const random = new Random(this.#random.integer(0, 2 ** 31));
    const replica = this.replicas.get('checker') as Replica;
    while (this.#left > 0) {
      await replica.step(random.pick([7, 50, 1000]) as number, 1);
      const turn = random.next();
      if (turn < 0.2) replica.store();
      else if (turn < 0.3) replica.restart();
      await pause(100);
    }
  }

  async #check(): Promise<void> {
    // Imports, automations and the responses that are still on their way come to their end.
    for (let waited = 0; waited < 60; waited += 5) {
      await pause(5_000);
      if ((await this.list('/imports?status=queued,running')).length === 0) break;
    }
    const found: string[] = [];
    for (const { name, exchange, state } of invariants) {
      const says = [
        ...(exchange ? this.ledger.exchanges.flatMap(each => exchange(each)) : []),
        ...(state ? await state(this) : []),
      ];
      found.push(...says.slice(0, 3).map(line => `${name}: ${line}`));
    }
    this.violations = found;
  }
}
