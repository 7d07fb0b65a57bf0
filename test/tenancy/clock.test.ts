import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { today } from '../../src/core/time.ts';
import { forAnyApp } from '../support/for-each-app.ts';

const aheadDays = 40;

test('no rule, view or action takes the time of the trade from another clock', () => {
  const files = ['src/domain', 'src/resources', 'src/engine', 'src/query'].flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`),
  );
  const other = /(?<![_.])\bnow\(\)|Temporal\.Now|current_(date|timestamp)|clock_timestamp|new Date\(\)/;
  const found = files.filter(file => /\.(ts|sql)$/.test(file) && other.test(readFileSync(file, 'utf8')));
  assert.deepEqual(found.sort(), [
    // The queue of jobs has real time, and so has the limit of how far a clock is moved.
    'src/domain/occurrences/enqueue.sql',
    // How long the responses to requests with an Idempotency-Key are kept is real time.
    'src/engine/idempotency.ts',
    'src/resources/sandbox/moveClock.ts',
  ]);
});

forAnyApp((_, app) => {
  test('a tenant whose clock is ahead has one present in SQL and in code, and others have theirs', async () => {
    const [ahead, other] = [await app.newClient(), await app.newClient()];
    await app.database.system
      .updateTable('tenants')
      .set({ sandbox: true, clock_ahead: aheadDays * 86_400_000 })
      .where('id', '=', ahead.tenant.id)
      .execute();
    for (const client of [ahead, other, ahead, other]) {
      const day = today({ ...client.tenant, clockAhead: client === ahead ? aheadDays * 86_400_000 : 0 });
      const { body: project } = await client.call('POST', '/projects', { body: { name: 'P' } });
      const { body: changed } = await client.call('PUT', `/projects/${project.id}`, { body: { name: 'Q' } });
      const [first = '', second] = [project.created_at, changed.updated_at].map(at =>
        dayIn(at, client.tenant.timeZone),
      );
      assert.deepEqual([first, second], [day, day]);
      const body = { project_id: project.id, name: 'E', status: 2, start: `${day} 00:00:00`, end: `${day} 23:59:59` };
      const { body: event } = await client.call('POST', '/events', { body });
      const { body: todays } = await client.call('GET', `/events/today?fields=id&project_id=${project.id}`);
      assert.deepEqual(todays, [{ id: event.id }]);
      const { body: changes } = await client.call('GET', '/changes?resource=events');
      assert.equal(dayIn(changes.changes.at(-1).at, client.tenant.timeZone), day);
    }
  });
});

const dayIn = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(at));
