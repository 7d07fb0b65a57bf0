import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { inMemory, migratedUrl, openEmbedded } from '../support/database.ts';
import { operations } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';
import { callerOf } from './caller.ts';
import { copiedBy, type Sight } from './copied.ts';
import { Random } from './random.ts';
import { Replica } from './replica.ts';
import { Trial } from './trial.ts';

/** The number of writes on each database; REPLICA_WRITES=10000 for the whole proof. */
const total = Number(process.env.REPLICA_WRITES ?? 200);
const seed = Number(process.env.REPLICA_SEED ?? 4711);

/** Creates one or two records of each resource, so that writes find what they refer to. */
const fill = async (client: Client): Promise<void> => {
  for (let round = 0; round < 2; round++) {
    const scene = new Scene(client);
    for (const resource of new Set(operations.filter(({ verb }) => verb === 'create').map(each => each.resource)))
      await scene.idOf(resource);
  }
};

describe('a copy that is kept in sync by the changes equals the listings', () => {
  it(`on the embedded database, after ${total} random writes during which the service is killed and started again`, async context => {
    const dataDir = mkdtempSync(join(tmpdir(), 'replica-data-'));
    const set = generateKeySet('HS256');
    // One process at a time has the database.
    const filling = await openEmbedded(dataDir);
    const app = await startApp(filling, { keys: parseKeySet(set, 'HS256') });
    const client = await app.newClient();
    await fill(client);
    const others = await readers(app, client);
    await app.close();
    await filling.close();
    const server = new Killable({ DATA_DIR: dataDir }, set);
    let reading: Database | null = null;
    context.after(async () => {
      await server.stop();
      await reading?.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    await server.start();
    await prove(context, [client, others], server, async () => {
      await server.stop();
      reading = openDatabase({ ...inMemory, dataDir });
      return reading;
    });
  });

  it(`on a Postgres server, after ${total} random writes during which the service is killed and started again`, async context => {
    const url = await migratedUrl();
    const database = openDatabase({ ...inMemory, url });
    const set = generateKeySet('HS256');
    const app: App = await startApp(database, { keys: parseKeySet(set, 'HS256') });
    const client = await app.newClient();
    await fill(client);
    const others = await readers(app, client);
    const server = new Killable({ DATABASE_URL: url }, set);
    context.after(async () => {
      await server.stop();
      await app.close();
      await database.close();
    });
    await server.start();
    await prove(context, [client, others], server, async () => database);
  });
});

/** What API users see who see less than all. */
const sights: readonly Sight[] = [
  { hidden: ['pay', 'contact', 'personal', 'health', 'identity'] },
  { scopes: ['clients:read', 'events:read', 'assignments:read', 'projects:read', 'wage-proposals:read'] },
  { scopes: ['employees:read', 'event-functions:read', 'locations:read', 'work-times:read'], hidden: ['contact'] },
];

/** Makes an API user for each of them. */
const readers = async (app: App, client: Client): Promise<ReadonlyMap<Sight, Client>> => {
  const made = new Map<Sight, Client>();
  for (const sight of sights) {
    const { id } = await createApiUser(client.database, client.tenant, {
      name: JSON.stringify(sight),
      readOnly: true,
      ...sight,
    });
    made.set(sight, { ...client, token: await app.tokenOf(client.tenant, id) });
  }
  return made;
};

/** A server process that can be killed. */
class Killable {
  #child: ChildProcess | null = null;
  #port = 0;
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder = mkdtempSync(join(tmpdir(), 'replica-'));

  constructor(database: Readonly<Record<string, string>>, keys: string) {
    this.#env = { ...process.env, DATABASE_URL: '', ...database, KEYS: keys, FILES_FOLDER: this.#folder };
  }

  port = (): number => this.#port;

  async start(): Promise<void> {
    const script = new URL('server.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script], { env: this.#env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const [port] = await once(child.stdout, 'data');
    this.#port = Number(port);
  }

  /** Kills the process and starts another. */
  kill = async (): Promise<void> => {
    await this.#end();
    await this.start();
  };

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async stop(): Promise<void> {
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const prove = async (
  context: TestContext,
  [client, others]: readonly [Client, ReadonlyMap<Sight, Client>],
  { port, kill }: Pick<Killable, 'port' | 'kill'>,
  /** Returns the database, when nothing more is asked of the server. */
  reopen: () => Promise<Database>,
): Promise<void> => {
  const { call, close } = callerOf(client, port);
  context.after(close);
  const copies = new Map(
    [...others].map(([sight, other]) => {
      const caller = callerOf(other, port);
      context.after(caller.close);
      return [JSON.stringify(sight), new Replica(caller.call, copiedBy(sight))] as const;
    }),
  );
  const trial = new Trial(new Replica(call), call, new Random(seed), copies);
  try {
    await trial.load();
    // Few writes at a time show which of them a field does not follow.
    for (let round = 0; round < 12; round++) await trial.round(Math.ceil(total / 60), 1 + (round % 4));
    for (let round = 0; round < 4; round++) await trial.round(Math.ceil(total / 5), 8, kill);
    trial.checkOrder();
    const database = await reopen();
    const doubled = await database.asOwner(client.tenant.id, ({ send }) =>
      send({
        name: null,
        text: `select resource, id, count(*) from journal where tenant_id = $1
          group by transaction, resource, id having count(*) > 1`,
        values: [String(client.tenant.id)],
      }),
    );
    assert.deepEqual(doubled[0]?.rows, [], 'one entry for each record and transaction');
    context.diagnostic(trial.summary());
    context.diagnostic(`never succeeded: ${trial.failed.join(', ')}`);
    assert.ok(trial.succeeded > trial.sent / 4, trial.summary());
  } catch (error) {
    context.diagnostic(`seed ${seed}; ${trial.summary()}`);
    console.error(`REPLICA_SEED=${seed} REPLICA_WRITES=${total}: ${error instanceof Error ? error.message : error}`);
    throw error;
  }
};
