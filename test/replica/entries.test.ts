import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../support/for-each-app.ts';
import { operations } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';
import { callerOf } from './caller.ts';
import { copied } from './copied.ts';
import { Random } from './random.ts';
import { Replica } from './replica.ts';
import { randomWrite } from './writer.ts';

/** The number of writes on each database; ENTRIES_WRITES=3000 for the whole proof. */
const total = Number(process.env.ENTRIES_WRITES ?? 60);
const seed = Number(process.env.ENTRIES_SEED ?? 11);

type Row = Record<string, unknown>;
type Records = Map<string, Map<number, Row>>;

const byName = new Map(copied.map(resource => [resource.name, resource]));

/** The own fields of a record that differ, as the listings show them; null: there was none before, or there is none after. */
const differing = (resource: string, before: Row | undefined, after: Row | undefined): readonly string[] | null => {
  if (!before || !after) return null;
  const { derived } = byName.get(resource) as (typeof copied)[number];
  return Object.keys(after)
    .filter(name => !derived.has(name) && Object.hasOwn(before, name))
    .filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .toSorted();
};

/** Returns what entries must say of the records that differ. */
const expected = (before: Records, after: Records): readonly string[] =>
  [...byName.keys()].flatMap(name => {
    const [old, now] = [before.get(name), after.get(name)];
    return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].flatMap(id => {
      const fields = differing(name, old?.get(id), now?.get(id));
      if (fields === null) return [`${name} ${id} ${now?.has(id) ? 'created' : 'deleted'}`];
      return fields.length > 0 ? [`${name} ${id} updated ${fields}`] : [];
    });
  });

forAnyApp((_, app) => {
  describe('the entries of a write', () => {
    it(`are those of the records that differ, with the own fields that differ: after each of ${total} random writes`, async context => {
      const client = await app.newClient();
      for (let round = 0; round < 2; round++) {
        const scene = new Scene(client);
        for (const resource of new Set(operations.filter(({ verb }) => verb === 'create').map(each => each.resource)))
          await scene.idOf(resource);
      }
      const { call, close } = callerOf(client, () => app.port);
      context.after(close);
      const replica = new Replica(call);
      const random = new Random(seed);
      const get = async (path: string) => (await call('GET', path))?.body;
      let before = await replica.listings();
      let { next } = await get('/changes?after=now');
      let succeeded = 0;
      for (let count = 0; count < total; count++) {
        const write = randomWrite(resource => [...(before.get(resource)?.keys() ?? [])], random);
        const response = await call(write.method, write.path, write.body);
        if (!response || response.status >= 300) continue;
        succeeded++;
        const page = await get(`/changes?after=${next}&limit=1000`);
        next = page.next;
        const after = await replica.listings();
        const told = (page.changes as { resource: string; id: number; change: string; fields: string[] }[])
          .filter(({ resource }) => byName.has(resource))
          .flatMap(({ resource, id, change, fields }) => {
            const { own: known, derived } = byName.get(resource) as (typeof copied)[number];
            const unknown = fields.filter(
              name => !known.has(name) && !derived.has(name) && !/^dynamic_field_/.test(name),
            );
            assert.deepEqual(unknown, [], `${resource} ${id} ${change}`);
            if (change !== 'updated') return [`${resource} ${id} ${change}`];
            // A derived field that is written is named; that it moves by itself is told by its sources.
            const own = fields.filter(name => !derived.has(name));
            return own.length > 0 || fields.length === 0 ? [`${resource} ${id} ${change} ${own.toSorted()}`] : [];
          });
        const asked = `ENTRIES_SEED=${seed}, write ${count}: ${write.method} ${write.path} ${JSON.stringify(write.body)}`;
        assert.deepEqual(told.toSorted(), [...expected(before, after)].toSorted(), asked);
        before = after;
      }
      context.diagnostic(`${succeeded} of ${total} writes succeeded`);
      assert.ok(succeeded > total / 4);
    });
  });
});
