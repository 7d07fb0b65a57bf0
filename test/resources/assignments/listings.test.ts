import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Temporal } from 'temporal-polyfill';
import { Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

/** Times of today in the tenant's zone, and of tomorrow. */
const spans = {
  today: () => {
    const noon = Temporal.Now.zonedDateTimeISO('Europe/Berlin').withPlainTime('12:00');
    return [noon.toInstant().toString(), noon.add({ hours: 1 }).toInstant().toString()] as const;
  },
  open: () => {
    const start = Temporal.Now.instant().add({ hours: 30 }).round('second');
    return [start.toString(), start.add({ hours: 1 }).toString()] as const;
  },
};

forAnyApp(client => {
  const staffing = new Staffing(client);

  for (const [name, status] of [
    ['today', 6],
    ['open', 3],
  ] as const) {
    it(`/assignments/${name} leaves out the assignments of aborted events, which stay in the history`, async () => {
      const span = spans[name]();
      const employees = [await staffing.employee(), await staffing.employee()];
      const events = [await staffing.event(...span), await staffing.event(...span)];
      const ids: number[] = [];
      for (const [index, event] of events.entries())
        ids.push(await staffing.assignment(employees[index] as number, await staffing.place(event), status));
      const listed = async (path: string): Promise<number[]> => {
        const { body, text } = await client.call('GET', `${path}?employee_id=${employees}&fields=id`);
        assert.ok(Array.isArray(body), text);
        return body.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b);
      };
      assert.deepEqual(await listed(`/assignments/${name}`), ids);
      const aborted = await client.call('PUT', `/events/${events[0]}`, { body: { status: 5 } });
      assert.equal(aborted.status, 200, aborted.text);
      assert.deepEqual(await listed(`/assignments/${name}`), ids.slice(1));
      assert.deepEqual(await listed('/assignments'), ids);
      const archived = await client.call('PUT', `/events/${events[1]}`, { body: { status: 3 } });
      assert.equal(archived.status, 200, archived.text);
      assert.deepEqual(await listed(`/assignments/${name}`), ids.slice(1));
    });
  }

  it('the column by which they select is no field of assignments', async () => {
    for (const query of ['event.status=5', 'fields=event.status', 'sort=event.status'])
      for (const path of ['/assignments', '/assignments/today']) {
        const { status, body } = await client.call('GET', `${path}?${query}`);
        assert.deepEqual([status, body.code], [400, 'unknown_field'], `${path}?${query}`);
      }
  });
});
