import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Database } from '../../src/db/open.ts';
import { lateAbsenceReason } from '../../src/demo/assignments.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { awaitsDemo, type Demo, fillDemo } from '../../src/demo/fill.ts';
import { storyIds } from '../../src/demo/story/story.ts';
import { createFiles } from '../../src/files/files.ts';
import { shown } from '../contract/specified.ts';
import { ownDatabase } from '../support/database.ts';

/** The number of rows of a new tenant. */
const provisioned: Readonly<Record<string, number>> = {
  languages: 1,
  wage_profiles: 1,
  forms: 3,
  attributes: 22,
  collections: 3,
  collection_values: 34,
};

describe('the demo tenant', () => {
  const options = { size: 'small', baseDomain: 'staffing.test', today: '2026-05-04' } as const;
  let database: Database;
  let demo: Demo;
  let unnumbered: number;
  const folder = mkdtempSync(join(tmpdir(), 'demo-files-'));

  before(async () => {
    // A separate database: the tenant takes the host name localhost.
    database = await ownDatabase();
    assert.equal(await awaitsDemo(database), true);
    demo = await fillDemo(database, options);
    unnumbered = await count('select count(*) from journal where tenant_id = 1 and position is null');
    await fillDemoFiles(database, await createFiles({ folder, limit: 1024, s3: null }), demo);
  });
  after(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  /** The number that a statement returns. */
  const count = async (text: string): Promise<number> => {
    const [result] = await database.forTenant(demo.tenant).read({ name: null, text, values: [] });
    return Number(result?.rows[0]?.[0]);
  };

  test('leaves no entry of the journal without a position, for which the first request would wait', async () => {
    assert.ok((await count('select count(*) from journal where tenant_id = 1 and position is not null')) > 1000);
    assert.equal(unnumbered, 0);
  });

  test('has all generated rows', async () => {
    for (const [table, rows] of Object.entries(demo.rows)) {
      assert.equal(await count(`select count(*) from ${table}`), rows + (provisioned[table] ?? 0), table);
    }
    assert.equal(demo.rows.assignments, 6_000 + (storyIds.get('assignments')?.size ?? 0));
  });

  test('is available on localhost and 127.0.0.1', async () => {
    const hosts = await database.system.selectFrom('tenant_hosts').selectAll().orderBy('host').execute();
    assert.deepEqual(
      hosts,
      ['127.0.0.1', 'localhost'].map(host => ({ host, tenant_id: demo.tenant.id })),
    );
  });

  test('has rows in every resource', async () => {
    for (const { name, source } of Object.values(resources).filter(({ name }) => shown.has(name)))
      assert.ok((await count(`select count(*) from ${source}`)) > 0, name);
  });

  const broken: [rule: string, text: string][] = [
    [
      'no employee is booked twice at one time',
      `with held as (
         select a.id, a.employee_id, f.start, f.end from assignments a
         join event_functions f on f.id = a.event_function_id where a.status in (5, 6, 7))
       select count(*) from held a join held b
         on b.employee_id = a.employee_id and b.id > a.id and a.start < b.end and b.start < a.end`,
    ],
    [
      'no one is booked while absent, but for the one who told late',
      `select count(*) from assignments a join event_functions f on f.id = a.event_function_id
         join busy_dates b on b.employee_id = a.employee_id and b.start < f.end and f.start < b.end
         where a.status in (5, 6, 7) and b.reason <> '${lateAbsenceReason}'`,
    ],
    [
      'no function is overbooked',
      `select count(*) from event_functions f join events e on e.id = f.event_id
         where f.holding > floor(f.quantity * (1 + e.overbooking_percent / 100.0))`,
    ],
    [
      "the functions' counters are right",
      `select count(*) from event_functions f where f.holding <>
         (select count(*) from assignments a where a.event_function_id = f.id and a.status in (5, 6, 7))`,
    ],
    [
      "the events' counters are right",
      `select count(*) from events e where e.holding <> coalesce((select sum(f.holding) from event_functions f where f.event_id = e.id), 0)
         or e.quantity <> coalesce((select sum(f.quantity) from event_functions f where f.event_id = e.id), 0)`,
    ],
    [
      'nothing is paid that is not approved',
      'select count(*) from assignments where paid_on is not null and not is_approved',
    ],
    [
      'all that is approved has work and pays the sum of its wages',
      `select count(*) from assignments a
         left join (select assignment_id, sum(payable_amount) filter (where not is_disabled) as total from assignment_wages
           group by 1) w on w.assignment_id = a.id
         where a.is_approved and (w.total is distinct from a.pay_amount
           or not exists (select from work_times t where t.event_function_employee_id = a.id and t.is_approved))`,
    ],
    [
      'a paysheet is the sum of its lines, and pays what was approved when its assignment is paid',
      `select count(*) from paysheets p join assignments a on a.id = p.assignment_id
         where not a.is_approved or p.total is distinct from a.pay_amount or p.paid_on is distinct from a.paid_on
           or p.total <> (select sum((l ->> 'amount')::numeric) from jsonb_array_elements(p.lines) l)`,
    ],
    [
      'what is paid is on a paid pay run',
      `select count(*) from assignments a where a.paid_on is not null and not exists (
         select from paysheets p join pay_runs r on r.id = p.pay_run_id where p.assignment_id = a.id and r.status = 3)`,
    ],
    [
      'a pay run is the sum of its paysheets and of its lines, of work in its period',
      `select count(*) from pay_runs r
         left join (select pay_run_id, count(*) as sheets, sum(total) as total, min(status) as least, max(status) as most,
             min(worked_on) as first, max(worked_on) as last from paysheets group by 1) p on p.pay_run_id = r.id
         left join (select pay_run_id, sum(amount) as total, max(date) as last from pay_run_lines_view group by 1) l
           on l.pay_run_id = r.id
         where p.sheets is distinct from r.paysheet_count or p.total is distinct from r.total or l.total is distinct from r.total
           or (r.totals -> 0 ->> 'amount')::numeric <> r.total or p.least <> r.status or p.most <> r.status
           or p.first < r.period_start or p.last > r.period_end or l.last <> p.last`,
    ],
    [
      'the paysheets of pay runs have the projects, clients and employees of their assignments',
      `select count(*) from paysheets p join assignments_view a on a.id = p.assignment_id
         where p.pay_run_id is not null
           and (p.project_id, p.client_id, p.paid_employee_id) is distinct from (a.project_id, a.client_id, a.employee_id)`,
    ],
    [
      'billings have the projects and clients of their assignments',
      `select count(*) from assignment_billings b join assignments_view a on a.id = b.assignment_id
         where (b.project_id, b.client_id) is distinct from (a.project_id, a.client_id)`,
    ],
    [
      'work times have the event functions of their assignments',
      `select count(*) from work_times t join assignments a on a.id = t.event_function_employee_id
         where t.event_function_id is distinct from a.event_function_id`,
    ],
    ['there are pay runs of each status', 'select 3 - count(distinct status) from pay_runs'],
    [
      'some of what is approved is left to the next pay run',
      `select case when count(*) > 0 then 0 else 1 end from assignments a
         where a.is_approved and not exists (select from paysheets p where p.assignment_id = a.id)`,
    ],
    [
      'no webhook calls another machine',
      `select count(*) from automations where routine_type = 'webhook.post'
         and routine_configuration::json ->> 'url' not like 'https://localhost/%'`,
    ],
    [
      'approved work never overlaps',
      `with works as (select w.*, a.employee_id from work_times w join assignments a on a.id = w.event_function_employee_id)
       select count(*) from works a join works b on b.employee_id = a.employee_id and b.id > a.id and a.start < b.end and b.start < a.end`,
    ],
    [
      'who is paid has work, wages and a paysheet, some of them for nights and Sundays',
      `select case when count(*) > 0 and count(*) filter (where w.wage_type_id = 2) > 0 and count(*) filter (where w.wage_type_id = 3) > 0
           then 0 else 1 end
         from assignments a join assignment_wages w on w.assignment_id = a.id join paysheets p on p.assignment_id = a.id and p.status = 3
         where a.paid_on is not null`,
    ],
    [
      'countries are values of the collection of countries',
      `select count(*) from clients c join collection_values v on v.id = c.country
         join collections o on o.id = v.collection_id where o.identifier <> 'country'`,
    ],
  ];
  for (const [rule, text] of broken) test(`keeps the rules: ${rule}`, async () => assert.equal(await count(text), 0));

  test('has the latest confirmations as deliveries: the oldest would be removed in the first minute', async () => {
    const confirmed = "a.status = 7 and a.created_at < date_trunc('day', now()) - interval '1 day'";
    const told = "select (data ->> 'assignment_id')::bigint from automation_deliveries where tenant_id = 1";
    assert.equal(
      await count(`select count(*) from automation_deliveries where tenant_id = 1 and status in (2, 3)`),
      25,
    );
    assert.equal(
      await count(`select count(*) from assignments a where tenant_id = 1 and ${confirmed} and id not in (${told})
        and created_at > (select max(created_at) from assignments where tenant_id = 1 and id in (${told}))`),
      0,
    );
  });

  test('has open actions of every type', async () => {
    const actions = `json_array_elements(open_actions::json -> 'actions') x(action)`;
    const [result] = await database.forTenant(demo.tenant).read({
      name: null,
      text: `select distinct action ->> 'type' as type from assignments_view, ${actions} order by 1`,
      values: [],
    });
    assert.deepEqual(result?.rows.flat(), [
      'check_in',
      'check_out',
      'confirm',
      'resolve_conflict',
      'sign_contract',
      'sign_work_data',
      'submit_report',
      'submit_work_time',
    ]);
  });

  test('is not filled twice', async () => {
    assert.equal(await awaitsDemo(database), false);
    await assert.rejects(fillDemo(database, options), { name: 'InputError', message: /already has data/ });
  });
});
