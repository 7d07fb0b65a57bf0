import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { Payroll } from './scene.ts';
import { end, start, useSite, whole } from './site.ts';

forAnyApp(client => {
  const site = useSite(client);
  const payroll = new Payroll(client);
  const { staffing } = payroll;

  /** What can be recorded of an assignment's work; returns the paths of the records. */
  const kinds: readonly [name: string, record: (id: number) => Promise<readonly string[]>][] = [
    ['a work time', async id => [`/work-times/${await payroll.work(id, { start, end })}`]],
    ['a proposal of work time', async id => [`/work-time-proposals/${await payroll.propose(id, { start, end })}`]],
    ['a wage proposal', async assignment_id => made('wage-proposals', { assignment_id, wage_type_id: 3, value: 2 })],
    ['a wage', async assignment_id => made('assignment-wages', { assignment_id, base_value: 10 })],
    ['a check-in', async assignment_id => made('checkins', { assignment_id, type: 1, source: 2, timestamp: start })],
    ['a livestamp', async assignment_id => made('livestamps', { assignment_id, type: 1, timestamp: start })],
    ['a report', async assignment_id => made('assignment-employment-reports', { assignment_id })],
    [
      'signed work',
      async assignment_id => {
        const signed = await site.sign([{ assignment_id, work_times: [whole] }]);
        assert.equal(signed.status, 200, signed.text);
        const proposals = await site.rows('work-time-proposals', assignment_id);
        return proposals.map(({ id }) => `/work-time-proposals/${id}`);
      },
    ],
  ];
  const made = async (resource: string, body: object) => [`/${resource}/${await payroll.post(resource, body)}`];

  const assign = async () => {
    const event = await site.event({ configurations: { signed_work_data: { enabled: 1, methods: ['signature'] } } });
    const place = await site.place(event);
    return { event, place, id: await staffing.assignment(await site.employee(), place, 6) };
  };
  const move = (id: number, event_function_id: number, query = '') =>
    payroll.put(`/assignments/${id}/move${query}`, { event_function_id });
  const remove = async (paths: readonly string[]) => {
    for (const path of paths) assert.equal((await client.call('DELETE', path)).status, 204, path);
  };

  for (const [name, record] of kinds)
    describe(`an assignment with ${name}`, () => {
      it('does not move to another event function, in spite of force, until it is deleted', async () => {
        const { id } = await assign();
        const to = await site.place(await site.event());
        const paths = await record(id);
        for (const query of ['', '?force=true', '?dry_run=true'])
          assertErrors(await move(id, to, query), 'work_recorded event_function_id');
        await remove(paths);
        assert.equal((await move(id, to)).body.event_function_id, to);
      });

      it('keeps its event function in its event, in spite of force, until it is deleted', async () => {
        const { id, place } = await assign();
        const idle = await staffing.assignment(await site.employee(), place, 6);
        const paths = await record(id);
        const event_id = await site.event();
        for (const query of ['', '?force=true', '?dry_run=true']) {
          const rejected = await payroll.put(`/event-functions/${place}${query}`, { event_id });
          assertErrors(rejected, 'work_recorded event_id');
          assert.equal(rejected.body.errors[0].assignment_id, id);
        }
        await remove(paths);
        assert.equal((await payroll.put(`/event-functions/${place}`, { event_id })).body.event_id, event_id);
        assert.equal((await client.call('GET', `/assignments/${idle}`)).body.event_id, event_id);
      });
    });

  it('recorded work stays in its event by upsert and by external id too, and hinders no other change', async () => {
    const { id, event, place } = await assign();
    const external_id = `F-${place}`;
    await payroll.work(id, { start, end });
    await payroll.put(`/event-functions/${place}`, { external_id });
    const other = await site.event({ external_id: `E-${place}` });
    const path = `/event-functions/external/${external_id}`;
    for (const body of [{ event_id: other }, { event: { external_id: `E-${place}` } }])
      assertErrors(await payroll.put(path, body), 'work_recorded event_id');
    const changed = await payroll.put(path, { event_id: event, quantity: 7, start: '2026-06-12T17:00:00Z' });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await move(id, place)).status, 200);
  });

  it('a move of recorded work is rejected with everything else that stands against it', async () => {
    const { id, place } = await assign();
    await payroll.work(id, { start, end });
    const full = await site.place(await site.event(), { quantity: 0 });
    const at = 'event_function_id';
    assertErrors(await move(id, full, '?force=true'), `function_full ${at}`, `work_recorded ${at}`);
    assert.equal((await payroll.approve(id, '?force=true')).status, 200);
    assertErrors(await move(id, full), `assignment_approved ${at}`, `work_recorded ${at}`);
    assertErrors(
      await payroll.put(`/event-functions/${place}`, { event_id: await site.event() }),
      'work_recorded event_id',
    );
  });
});
