import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { PayRuns, period } from '../domain/pay/scene.ts';
import { end, start } from '../domain/work/scene.ts';
import type { ApiResponse, Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { restricted } from '../support/restricted.ts';

forAnyApp((client, app) => {
  const pay = new PayRuns(client);
  const { staffing } = pay;

  /** Returns what an error says beside its code and field, of the whole response or of a field. */
  const saysOf = ({ body }: ApiResponse, code: string): Readonly<Record<string, unknown>> => {
    const [error] = [...(body.errors ?? []), body].filter(({ code: own }: { code: string }) => own === code);
    assert.ok(error, `${code}: ${JSON.stringify(body)}`);
    const { code: _, field, description, request_id, documentation_url, errors, ...says } = error;
    return says;
  };

  describe('what stands against a write', () => {
    /** What each write needs, what it is rejected with, whose records that tells of, and what it tells. */
    const cases: {
      code: string;
      scopes: readonly string[];
      of: string;
      tells: RegExp;
      request: readonly [method: string, path: string, body?: object];
    }[] = [];

    before(async () => {
      const booked = await staffing.employee();
      const [first, second] = ['2026-08-01', '2026-08-02'].map(
        day => [`${day}T08:00:00Z`, `${day}T16:00:00Z`] as const,
      );
      const event = await staffing.event(...(first as [string, string]));
      await staffing.assignment(booked, await staffing.place(event), 6);
      await staffing.assignment(booked, await staffing.shift(...(second as [string, string])), 6);
      const required_qualifications = [await staffing.qualification()];
      const demanding = await staffing.shift(start, end, { required_qualifications });
      const worker = await staffing.employee();
      const overlapping = await pay.assignment({ employee: worker });
      await pay.work(overlapping, { is_approved: 1 });
      await pay.accept(await pay.propose(overlapping));
      const other = await pay.assignment({ employee: worker });
      const proposal = await pay.propose(other);
      const profile = await pay.profile();
      const onRun = await pay.approved({ profile });
      await pay.run(profile);
      const onSheet = await pay.approved();
      await pay.post('paysheets', { assignment_id: onSheet, ...period });
      const [customer, another] = [
        await pay.post('clients', { company: 'A' }),
        await pay.post('clients', { company: 'B' }),
      ];
      const project = await pay.post('projects', { name: 'P', client_id: customer });
      const contact_id = await pay.post('contacts', { client_id: customer, lastname: 'C' });
      await staffing.event(start, end, { project_id: project, contact_id });
      const profiled = await pay.approved();
      await pay.withdraw(profiled);
      const dear = await pay.post('billing-profiles', { name: 'Dear', is_default: 1 });
      const component = {
        billing_profile_id: dear,
        name: 'Dear',
        unit: 'hour',
        rate: 999_999,
        factor: 1_000,
        min_quantity: 999,
      };
      await pay.post('billing-components', component);
      const withdrawal = { approved_by_planner_id: null };
      const moved = { start: second?.[0], end: second?.[1] };
      cases.push(
        {
          code: 'double_booked',
          scopes: ['events:*'],
          of: 'assignments',
          tells: /"conflicts":\[\{"assignment_id":\d+/,
          request: ['PUT', `/events/${event}`, moved],
        },
        {
          code: 'not_qualified',
          scopes: ['assignments:*'],
          of: 'employees',
          tells: /"qualifications":\[\d+\]/,
          request: ['POST', '/assignments', { employee_id: booked, event_function_id: demanding, status: 6 }],
        },
        {
          code: 'overlapping_work_time',
          scopes: ['work-time-proposals:*'],
          of: 'work-times',
          tells: /"conflicts":\[\{"work_time_id":\d+/,
          request: ['PUT', `/work-time-proposals/${proposal}`, { status: 2 }],
        },
        {
          code: 'on_pay_run',
          scopes: ['assignments:*'],
          of: 'pay-runs',
          tells: /pay run \d+/,
          request: ['PUT', `/assignments/${onRun}/approve`, withdrawal],
        },
        {
          code: 'still_referenced',
          scopes: ['assignments:*'],
          of: 'paysheets',
          tells: /paysheet \d+/,
          request: ['PUT', `/assignments/${onSheet}/approve`, withdrawal],
        },
        {
          code: 'reference_mismatch',
          scopes: ['projects:*', 'clients:read'],
          of: 'events',
          tells: /"event_id":\d+/,
          request: ['PUT', `/projects/${project}`, { client_id: another }],
        },
        {
          code: 'out_of_range',
          scopes: ['assignments:*', 'planners:read'],
          of: 'billing-components',
          tells: /"billing_component_id":\d+/,
          request: ['PUT', `/assignments/${profiled}/approve`, { approved_by_planner_id: await staffing.planner() }],
        },
      );
    });

    const wide = (scope: string): readonly string[] =>
      scope.endsWith(':*') ? [scope.replace('*', 'read'), scope.replace('*', 'write')] : [scope];

    it('is named to callers who may read it, and to nobody else', async () => {
      for (const { code, scopes, of, tells, request } of cases) {
        const [method, path, body] = request;
        const own = scopes.flatMap(wide);
        const ask = (by: Client) => by.call(method, path, body && { body });
        const [without, with_] = [own, [...own, `${of}:read`]].map(scopes => restricted(app, client, { scopes }));
        const hidden = saysOf(await ask(await (without as Promise<Client>)), code);
        assert.deepEqual(Object.keys(hidden), ['message'], code);
        assert.doesNotMatch(String(hidden.message), /\d/, code);
        for (const by of [client, await (with_ as Promise<Client>)])
          assert.match(JSON.stringify(saysOf(await ask(by), code)), tells, code);
      }
      assert.equal(cases.length, 7);
    });
  });
});
