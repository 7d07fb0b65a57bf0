import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { tallies } from '../../../src/core/tally.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { generateKeySet, parseKeySet } from '../../../src/tenancy/keys.ts';
import { type App, type Client, startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { runs } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const hits = (): number => new Map(tallies.cacheHits.entries()).get('responses') ?? 0;

/** Records of each kind. */
const records = 4;
const writes = runs(320);
const burst = 40;
const reads = runs(2_000);
/** Divides the number of subjects, so that each has one writer. */
const writers = 4;
const readers = 8;

/** A number from 0 to below `end` that a number decides, and that looks like chance. */
const scatter = (n: number, end: number): number => {
  const mixed = Math.imul(n + 1, 0x9e3779b1);
  return ((mixed ^ (mixed >>> 15)) >>> 0) % end;
};

/** Something whose value grows with each write, and how it is written and read. */
interface Subject {
  readonly write: (value: number) => readonly [path: string, body: object];
  /** A request, and the value that its response shows. */
  // biome-ignore lint/suspicious/noExplicitAny: responses of several shapes
  readonly reads: readonly (readonly [path: string, valueIn: (body: any) => unknown])[];
  /** The last value that has been written, and the last that the response of a write has confirmed. */
  written: number;
  confirmed: number;
}

describe('two instances over one Postgres server', () => {
  const databases: Database[] = [];
  const apps: App[] = [];
  let client: Client;
  const subjects: Subject[] = [];

  before(async () => {
    const url = await migratedUrl();
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    for (const _ of [1, 2]) {
      const database = openDatabase({ ...inMemory, url });
      databases.push(database);
      apps.push(await startApp(database, { keys }));
    }
    client = await (apps[0] as App).newClient();
    const make = async (path: string, body: object): Promise<number> => {
      const response = await client.call('POST', path, { body });
      assert.equal(response.status, 201, response.text);
      return response.body.id;
    };
    const times = { start: '2030-06-12 10:00:00', end: '2030-06-12 12:00:00' };
    for (let n = 0; n < records; n++) {
      const id = await make('/clients', { company: '0', city: `City ${n}` });
      subjects.push({
        write: value => [`/clients/${id}`, { company: String(value) }],
        reads: [
          [`/clients/${id}`, body => body.company],
          [`/clients?city=City ${n}&fields=company`, body => body[0].company],
        ],
        ...{ written: 0, confirmed: 0 },
      });
      const project = await make('/projects', { name: '0' });
      const event = await make('/events', { project_id: project, name: `E${n}`, ...times });
      subjects.push({
        write: value => [`/projects/${project}`, { name: String(value) }],
        reads: [
          [`/events/${event}?fields=id,project.name`, body => body['project.name']],
          [`/events?fields=id&embed=project&name=E${n}`, body => body[0].project.name],
        ],
        ...{ written: 0, confirmed: 0 },
      });
    }
  });
  after(async () => {
    for (const app of apps) await app.close();
    for (const database of databases) await database.close();
  });

  const instance = (n: number): App => apps[scatter(n, 2)] as App;

  /** Runs `work` with each number below `most`, in some number of lines at once: each has the numbers with one remainder. */
  const inLines = (most: number, lines: number, work: (n: number) => Promise<void>): Promise<unknown> =>
    Promise.all(
      Array.from({ length: lines }, async (_, line) => {
        for (let n = line; n < most; n += lines) await work(n);
      }),
    );

  test('no response is older than a write that was confirmed before its request, and many reads need no query', async () => {
    const earlier = hits();
    const stale: string[] = [];
    let done = 0;
    const write = async (n: number): Promise<void> => {
      // In bursts that the reads go on beside: they overlap in every way, and between two bursts most reads find what is kept.
      await until('the reads go on', () => done >= Math.floor(n / burst) * burst * (reads / writes));
      // Each is written by one line, so that the order of its values is known.
      const target = subjects[n % subjects.length] as Subject;
      const value = ++target.written;
      const [path, body] = target.write(value);
      const response = await instance(n * 3).callAs(client, 'PUT', encodeURI(path), { body });
      assert.equal(response.status, 200, response.text);
      target.confirmed = value;
    };
    const read = async (n: number): Promise<void> => {
      const target = subjects[scatter(n * 11, subjects.length)] as Subject;
      const { confirmed } = target;
      const [path, valueIn] = target.reads[scatter(n * 5, 2)] as Subject['reads'][number];
      const response = await instance(n).callAs(client, 'GET', encodeURI(path));
      done++;
      assert.equal(response.status, 200, response.text);
      const value = Number(valueIn(response.body));
      if (!(value >= confirmed && value <= target.written)) stale.push(`${path}: ${value}, not ${confirmed}`);
    };
    await Promise.all([inLines(reads, readers, read), inLines(writes, writers, write)]);
    assert.deepEqual(stale, []);
    const kept = hits() - earlier;
    assert.ok(kept > reads / 5, `${kept} of ${reads} responses were kept ones`);
  });
});
