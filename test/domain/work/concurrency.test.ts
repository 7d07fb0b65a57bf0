import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import type { ApiResponse } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { Payroll, shift } from './scene.ts';

const crowd = Array.from({ length: 16 });

forEachApp((client, _, name) => {
  const payroll = new Payroll(client);

  const oneWins = (responses: readonly ApiResponse[], code: string): void => {
    const winners = responses.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1, responses.map(({ status, text }) => `${status} ${text}`).join('\n'));
    for (const { status, body } of responses) if (status !== 200) assert.equal(body.errors[0].code, code);
  };

  const worksOf = (employee: number) => payroll.list(`/work-times?employee_id=${employee}`);

  it('of 16 simultaneous acceptances of overlapping proposals for one assignment one wins', async () => {
    for (let round = 0; round < 3; round++) {
      const employee = await payroll.staffing.employee();
      const id = await payroll.assignment({ employee });
      const proposals = await Promise.all(crowd.map(() => payroll.propose(id)));
      oneWins(await Promise.all(proposals.map(proposal => payroll.accept(proposal))), 'overlapping_work_time');
      assert.equal((await worksOf(employee)).length, 1);
    }
  });

  it('of 16 simultaneous acceptances of overlapping proposals for assignments of one employee one wins', async () => {
    for (let round = 0; round < 2; round++) {
      const employee = await payroll.staffing.employee();
      const ids = await Promise.all(crowd.map(() => payroll.assignment({ employee, times: shift })));
      const proposals = await Promise.all(ids.map(id => payroll.propose(id)));
      oneWins(await Promise.all(proposals.map(proposal => payroll.accept(proposal))), 'overlapping_work_time');
      assert.equal((await worksOf(employee)).length, 1);
    }
  });

  it('of 16 simultaneous approvals of assignments with overlapping work one wins', async () => {
    const employee = await payroll.staffing.employee({ wage_profile_id: await payroll.profile() });
    const ids = await Promise.all(crowd.map(() => payroll.assignment({ employee })));
    for (const id of ids) await payroll.work(id);
    oneWins(await Promise.all(ids.map(id => payroll.approve(id))), 'overlapping_work_time');
  });

  it('one proposal accepted and rejected at once has one decision, and work only if it was accepted', async () => {
    const employee = await payroll.staffing.employee();
    const id = await payroll.assignment({ employee });
    const proposal = await payroll.propose(id);
    const responses = await Promise.all(
      crowd.map((_, index) => payroll.put(`/work-time-proposals/${proposal}`, { status: 2 + (index % 2) })),
    );
    const decisions = new Set(responses.flatMap(({ status, body }) => (status === 200 ? [body.status] : [])));
    assert.equal(decisions.size, 1);
    assert.equal((await worksOf(employee)).length, decisions.has(2) ? 1 : 0);
  });

  // The embedded database has one connection: there, nothing is done at the same time.
  if (name === 'postgres')
    it('work is added, and a proposal accepted, while another request holds the event function', async () => {
      const id = await payroll.assignment();
      const proposal = await payroll.propose(id);
      const { event_function_id } = (await client.call('GET', `/assignments/${id}`)).body;
      await client.database.asOwner(client.tenant.id, async ({ system }) => {
        await sql`select from event_functions where id = ${event_function_id} for update`.execute(system);
        const work = { event_function_employee_id: id, start: '2026-06-13T00:00:00Z', end: '2026-06-13T00:30:00Z' };
        assert.equal((await client.call('POST', '/work-times', { body: work })).status, 201);
        assert.equal((await payroll.accept(proposal)).status, 200);
      });
    });

  it('work that comes while its assignment is approved is either paid or refused', async () => {
    const id = await payroll.assignment();
    const body = (hour: number) => ({
      event_function_employee_id: id,
      start: `2026-06-12T${hour}:00:00Z`,
      end: `2026-06-12T${hour + 1}:00:00Z`,
    });
    const [approved, ...works] = await Promise.all([
      payroll.approve(id, '?force=true'),
      ...[10, 11, 12, 13, 14, 15].map(hour => payroll.client.call('POST', '/work-times', { body: body(hour) })),
    ]);
    assert.equal(approved.status, 200, approved.text);
    const stored = works.filter(({ status }) => status === 201).length;
    const wages = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
    const sum = wages.reduce((total, { payable_amount }) => total + payable_amount * 100, 0) / 100;
    assert.equal(approved.body.pay_amount, stored === 0 ? 0 : Number((stored * 14.5 + 12.3).toFixed(2)));
    assert.equal(sum, approved.body.pay_amount);
    assert.deepEqual(await payroll.list(`/work-times?event_function_employee_id=${id}&is_approved=0`), []);
  });
});
