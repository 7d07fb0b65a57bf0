import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { literal } from '../../../src/db/ids.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { changeApproval } from '../../../src/domain/pay/approvals.ts';
import { noRules } from '../../../src/domain/rules/rulebook.ts';
import { lockSeats } from '../../../src/domain/staffing/locked-staffing.ts';
import { changeEach } from '../../../src/engine/writing/bulk.ts';
import { Billing } from '../../domain/billing/scene.ts';
import { Corrections } from '../../domain/pay/corrections.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { shift } from '../../domain/work/scene.ts';
import { type ApiResponse, type Client, startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { countTrips } from '../../support/proxies/trips.ts';
import { restricted } from '../../support/restricted.ts';

/** Makes assignments with nine hours of work of as many new employees. */
const work = (database: Database, { tenant }: Client, place: number, count: number): Promise<number[]> =>
  database.asOwner(tenant.id, async transaction => {
    const employees = await transaction.newIds('employees', count);
    const ids = await transaction.newIds('assignments', count);
    const works = await transaction.newIds('work_times', count);
    const [start, end] = shift;
    await sql`with e as (
        insert into employees (tenant_id, id, firstname, lastname)
        select ${tenant.id}::bigint, n, 'A', n::text from unnest(${literal(employees)}::bigint[]) n
      ), a as (
        insert into assignments (tenant_id, id, employee_id, event_function_id, status, effective_start, effective_end)
        select ${tenant.id}::bigint, a.id, a.employee, ${place}::bigint, 6, ${start}::timestamptz, ${end}::timestamptz
        from unnest(${literal(ids)}::bigint[], ${literal(employees)}::bigint[]) a(id, employee)
      ) insert into work_times (tenant_id, id, event_function_employee_id, event_function_id, start, "end")
        select ${tenant.id}::bigint, w.id, w.assignment, ${place}::bigint, ${start}::timestamptz, ${end}::timestamptz
        from unnest(${literal(works)}::bigint[], ${literal(ids)}::bigint[]) w(id, assignment)`.execute(
      transaction.system,
    );
    return [...ids];
  });

forEachApp((client, app, name) => {
  const payroll = new Corrections(client);
  const approve = async (assignment_ids: readonly number[], more: object = {}, query = ''): Promise<ApiResponse> => {
    const approved_by_planner_id = await payroll.staffing.planner();
    return payroll.put(`/assignments/approve${query}`, { assignment_ids, approved_by_planner_id, ...more });
  };
  /** The result or the code of each. */
  const resultsOf = ({ body, text, status }: ApiResponse): string[] => {
    assert.equal(status, 200, text);
    return body.results.map(({ result, error }: { result: string; error?: { code: string } }) => error?.code ?? result);
  };
  const withWork = async (more: Parameters<Corrections['assignment']>[0] = {}): Promise<number> => {
    const id = await payroll.assignment(more);
    await payroll.work(id);
    return id;
  };

  describe('a bulk approval', () => {
    it('approves as single ones do, and says of each what has become of it', async () => {
      const [first, second] = [await withWork(), await withWork()];
      const empty = await payroll.assignment();
      const paid = await payroll.approved();
      await payroll.pay(paid);
      const response = await approve([second, empty, first, 999_999_999, paid, second]);
      assert.deepEqual(resultsOf(response), [
        'changed',
        'nothing_to_approve',
        'changed',
        'reference_not_found',
        'assignment_paid',
      ]);
      const { requested, changed, unchanged, failed } = response.body;
      assert.deepEqual([requested, changed, unchanged, failed], [5, 2, 0, 3]);
      for (const id of [first, second]) {
        const [{ is_approved, pay_amount }] = await payroll.list(`/assignments?id=${id}`);
        assert.deepEqual([is_approved, pay_amount], [1, 157.3]);
        const history = await payroll.list(`/assignments/${id}/history`);
        assert.deepEqual([history.at(-1).action, history.at(-1).data.pay_amount], ['approval', 157.3]);
      }
      assert.deepEqual((await payroll.list(`/assignments?id=${empty}`))[0].is_approved, 0);
      assert.deepEqual(resultsOf(await approve([empty, first], {}, '?force=true')), ['changed', 'unchanged']);
    });

    it('judges each with the work of those before', async () => {
      const employee = await payroll.staffing.employee();
      const [first, second] = [await withWork({ employee }), await withWork({ employee })];
      assert.deepEqual(resultsOf(await approve([second, first])), ['changed', 'overlapping_work_time']);
      assert.deepEqual((await payroll.list(`/assignment-wages?assignment_id=${first}`)).length, 3);
    });

    it('that is atomic approves all or none', async () => {
      const ids = [await withWork(), await payroll.assignment()];
      const refused = await approve(ids, { atomic: true });
      assertErrors(refused, 'nothing_to_approve approved_by_planner_id');
      assert.equal(refused.body.errors[0].assignment_id, ids[1]);
      const [before] = await payroll.list(`/assignments?id=${ids[0]}`);
      assert.deepEqual([before.is_approved, before.pay_amount], [0, null]);
      assert.deepEqual(resultsOf(await approve(ids.slice(0, 1), { atomic: true })), ['changed']);
    });

    it('of more than 500, of none, or by nobody is rejected', async () => {
      const ids = Array.from({ length: 501 }, (_each, index) => index + 1);
      assertErrors(await approve(ids), 'too_many_items assignment_ids');
      assertErrors(await approve([]), 'not_empty assignment_ids');
      const unknown = await approve([1], { approved_by_planner_id: 999_999_999 });
      assertErrors(unknown, 'reference_not_found approved_by_planner_id');
    });

    it('is taken back by null, but not on a pay run, on a paysheet or once billed', async () => {
      const billing = new Billing(client);
      const company = await billing.newClient();
      await billing.terms(company, [{ rate: 30 }]);
      const billed = await billing.worked(company, await billing.function());
      await payroll.approve(billed);
      await payroll.put(`/assignment-billings/${await billing.billing(billed)}`, { billed_on: shift[1] });
      const profile = await payroll.profile();
      const onRun = await payroll.approved({ profile });
      await payroll.run(profile);
      const onSheet = await payroll.approved();
      const period = { period_start: '2026-06-01', period_end: '2026-06-30' };
      await payroll.post('paysheets', { assignment_id: onSheet, ...period, lines: [] });
      const [free, open] = [await payroll.approved(), await withWork()];
      const ids = [billed, onRun, onSheet, free, open];
      const takenBack = await approve(ids, { approved_by_planner_id: null });
      const results = ['assignment_billed', 'on_pay_run', 'still_referenced', 'changed', 'unchanged'];
      assert.deepEqual(resultsOf(takenBack), results);
      const [{ is_approved, pay_amount }] = await payroll.list(`/assignments?id=${free}`);
      assert.deepEqual([is_approved, pay_amount], [0, null]);
      assert.equal((await payroll.list(`/assignment-billings?assignment_id=${billed}`)).length, 1);
      const hidden = await restricted(app, client, { hidden: ['pay'] });
      const body = { assignment_ids: [onRun, onSheet], approved_by_planner_id: null };
      const told = await hidden.call('PUT', '/assignments/approve', { body });
      assert.deepEqual(resultsOf(told), ['assignment_approved', 'assignment_approved']);
    });

    it('that is taken back gives the times of an event that has moved, where the employee can work then', async () => {
      const employee = await payroll.staffing.employee();
      const moved = await payroll.approved({ employee });
      const [{ event_id: event }] = await payroll.list(`/assignments?id=${moved}`);
      const away = ['2026-06-20T16:00:00Z', '2026-06-21T01:00:00Z'] as const;
      const [start, end] = away;
      assert.equal((await payroll.put(`/events/${event}?force=true`, { start, end })).status, 200);
      const withdrawal = { approved_by_planner_id: null };
      await payroll.assignment({ employee, times: away });
      assert.deepEqual(resultsOf(await approve([moved], withdrawal)), ['double_booked']);
      const { body: before } = await client.call('GET', '/changes?after=now');
      assert.deepEqual(resultsOf(await approve([moved], withdrawal, '?force=true')), ['changed']);
      const [after] = await payroll.list(`/assignments?id=${moved}`);
      assert.deepEqual([after.start, after.end], away);
      const history = await payroll.list(`/assignments/${moved}/history`);
      assert.ok(history.at(-1).overridden.includes('double_booked'));
      const { body: feed } = await client.call('GET', `/changes?after=${before.next}&resource=assignments`);
      const [{ fields }] = feed.changes.filter(({ id }: { id: number }) => id === moved);
      for (const field of ['end', 'is_approved', 'pay_amount', 'start']) assert.ok(fields.includes(field), field);
    });

    it('ends corrections with their differences', async () => {
      const profile = await payroll.profile();
      const ids = [await payroll.approved({ profile }), await payroll.approved({ profile })];
      await payroll.payRun(await payroll.run(profile));
      for (const id of ids) {
        await payroll.reopen(id);
        await payroll.rework(id, { end: '2026-06-13T00:00:00Z' });
      }
      assert.deepEqual(
        resultsOf(await approve(ids, { approved_by_planner_id: null })),
        Array(2).fill('correction_open'),
      );
      assert.deepEqual(resultsOf(await approve(ids, {}, '?dry_run=true')), ['changed', 'changed']);
      assert.deepEqual(await payroll.corrections(ids[0] as number), []);
      assert.deepEqual(resultsOf(await approve(ids)), ['changed', 'changed']);
      for (const id of ids) assert.equal((await payroll.corrections(id))[0].total, -18.12);
    });

    it('is done once with an Idempotency-Key, and by nobody who only reads', async () => {
      const id = await withWork();
      const body = { assignment_ids: [id], approved_by_planner_id: await payroll.staffing.planner() };
      const asked = { body, headers: { 'idempotency-key': `approval-${id}` } };
      const first = await client.call('PUT', '/assignments/approve', asked);
      const again = await client.call('PUT', '/assignments/approve', asked);
      assert.deepEqual([resultsOf(first), first.body], [['changed'], again.body]);
      assert.equal(again.headers['idempotency-replayed'], 'true');
      const approvals = (await payroll.list(`/assignments/${id}/history`)).filter(
        ({ action }) => action === 'approval',
      );
      assert.equal(approvals.length, 1);
      const reader = await restricted(app, client, { scopes: ['assignments:read', 'planners:read'] });
      assert.equal((await reader.call('PUT', '/assignments/approve', { body })).status, 405);
    });
  });

  if (name === 'postgres')
    it('a bulk approval takes as many statements for 500 assignments as for 2, also back', {
      timeout: 120_000,
    }, async () => {
      const url = await migratedUrl();
      await using proxy = await countTrips(url);
      const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
      const counted = await startApp(database);
      const own = await counted.newClient();
      const scene = new Billing(own);
      await scene.terms(null, [{ rate: 28.5 }]);
      const planner = await scene.staffing.planner();
      const wage_profile_id = await scene.profile();
      const change = { plannerErrors: [], force: false, rehearsed: false, rulebook: noRules, apiUserId: 1 };
      const statementsFor = async (ids: readonly number[], by: number | null): Promise<number> => {
        const before = proxy.statements;
        const outcomes = await database.forTenant(own.tenant).joined(async (parts, transaction) => {
          const seats = await lockSeats(ids, transaction);
          const each = (_left: readonly number[], part: typeof transaction) =>
            changeApproval({ ...change, planner: by, seats: [...seats.values()] }, part);
          return changeEach(ids, false, each, parts);
        });
        assert.deepEqual(new Set(outcomes.map(({ result }) => result)), new Set(['changed']));
        return proxy.statements - before;
      };
      const counts: number[][] = [];
      for (const count of [2, 500]) {
        const place = await scene.staffing.shift(...shift, { quantity: 500, wage_profile_id });
        const ids = await work(database, own, place, count);
        counts.push([await statementsFor(ids, planner), await statementsFor(ids, null)]);
      }
      await counted.close();
      await database.close();
      const [few = [], many] = counts;
      assert.deepEqual(many, few);
      assert.ok(Math.max(...few) < 60, few.join());
    });
});
