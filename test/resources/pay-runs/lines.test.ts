import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PayRuns } from '../../domain/pay/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { readCsv, readNdjson, readPages } from '../../support/listings.ts';

/** The fields of a line, as the contract lists them. */
const fields = [
  ...['paysheet_id', 'assignment_id', 'employee_id', 'employee_external_id', 'firstname', 'lastname'],
  ...['wage_type_id', 'wage_type_external_id', 'wage_type_name', 'date', 'quantity', 'unit', 'rate', 'factor'],
  ...[
    'amount',
    'currency',
    'kind',
    'corrects_period_start',
    'corrects_period_end',
    'corrects_paysheet_id',
    'project_id',
    'project_external_id',
    'client_id',
    'client_external_id',
  ],
];

forAnyApp((client, app) => {
  const payroll = new PayRuns(client);

  /** A run of two assignments: one with derived wages of which one was changed, one with wages made by hand. */
  let runs = 0;

  const prepare = async () => {
    const profile = await payroll.profile();
    runs++;
    const employee = await payroll.staffing.employee({ external_id: `E-${runs}`, firstname: 'Ada', lastname: 'Vogt' });
    const first = await payroll.approved({ profile, employee });
    const second = await payroll.assignment({ profile });
    await payroll.work(second);
    const [base] = await payroll.list(`/assignment-wages?assignment_id=${second}&sort=id`);
    await payroll.put(`/assignment-wages/${base.id}`, { base_value: 15 });
    const asked = await payroll.post('wage-proposals', { assignment_id: second, wage_type_id: 5, value: 3 });
    await payroll.put(`/wage-proposals/${asked}`, { status: 2 });
    const extra = { assignment_id: second, 'wage_type.name': 'Bonus', payable_amount: 0.005 };
    await payroll.post('assignment-wages', extra);
    await payroll.post('assignment-wages', { ...extra, is_disabled: 1 });
    assert.equal((await payroll.approve(second)).status, 200);
    return { first, second, employee, run: await payroll.run(profile) };
  };

  describe('the lines of a pay run', () => {
    it('are its wages, each with exactly the fields of a payroll export', async () => {
      const { first, second, employee, run } = await prepare();
      const lines = await payroll.list(`/pay-runs/${run}/lines`);
      for (const line of lines) assert.deepEqual(Object.keys(line), fields);
      const [base, night] = lines;
      const [assignment] = await payroll.list(`/assignments?id=${first}&embed=project`);
      const [sheet] = await payroll.list(`/paysheets?assignment_id=${first}`);
      assert.deepEqual(night, {
        paysheet_id: sheet.id,
        assignment_id: first,
        employee_id: employee,
        employee_external_id: `E-${runs}`,
        firstname: 'Ada',
        lastname: 'Vogt',
        wage_type_id: 2,
        wage_type_external_id: null,
        wage_type_name: 'Night',
        date: '2026-06-12',
        quantity: 4,
        unit: 'hour',
        rate: 14.5,
        factor: 0.25,
        amount: 14.5,
        currency: 'EUR',
        kind: 'regular',
        corrects_period_start: null,
        corrects_period_end: null,
        corrects_paysheet_id: null,
        project_id: assignment.project_id,
        project_external_id: assignment.project.external_id,
        client_id: assignment.client_id,
        client_external_id: (await payroll.list(`/clients?id=${assignment.client_id}`))[0].external_id,
      });
      assert.equal(base.wage_type_external_id, 'LA-100');
      assert.deepEqual(
        lines
          .filter(({ assignment_id }) => assignment_id === second)
          .map(line => [line.wage_type_id, line.wage_type_name, line.quantity, line.rate, line.factor, line.amount]),
        [
          [1, 'Base hour', 9, 15, 1, 135],
          [2, 'Night', 4, 14.5, 0.25, 14.5],
          [4, 'Fare', 1, 12.3, 1, 12.3],
          [5, 'Carrying', 3, 2.5, 1, 7.5],
          [null, 'Bonus', 1, 0.01, 1, 0.01],
        ],
      );
    });

    it('keep client and project of the day on which the run was made, and show their names as they are now', async () => {
      const { first, run } = await prepare();
      const [{ event_id, project_id, client_id }] = await payroll.list(`/assignments?id=${first}`);
      const before = await payroll.list(`/pay-runs/${run}/lines?assignment_id=${first}`);
      const other = await payroll.post('clients', { company: 'Other' });
      const project = await payroll.post('projects', { name: 'Other', client_id: other });
      for (const [path, body] of [
        [`/events/${event_id}`, { contact_id: null }],
        [`/projects/${project_id}`, { contact_id: null, client_id: other, external_id: `P-${run}` }],
        [`/events/${event_id}`, { project_id: project }],
        [`/events/${event_id}`, { client_id: other }],
      ] as const) {
        const { status, text } = await payroll.put(path, body);
        assert.equal(status, 200, text);
      }
      const after = before.map(line => ({ ...line, project_external_id: `P-${run}` }));
      assert.deepEqual(await payroll.list(`/pay-runs/${run}/lines?assignment_id=${first}`), after);
      assert.deepEqual([before[0].project_id, before[0].client_id], [project_id, client_id]);
      const removed = await client.call('DELETE', `/projects/${project_id}`);
      assert.deepEqual([removed.status, removed.body.code], [409, 'still_referenced'], removed.text);
    });

    it('add up to the paysheets, to the pay of the assignments and to the totals, to the cent', async () => {
      const { run } = await prepare();
      const cents = (amounts: readonly { amount?: number; total?: number; pay_amount?: number }[]): number =>
        amounts.reduce((sum, row) => sum + Math.round((row.amount ?? row.total ?? row.pay_amount ?? 0) * 100), 0);
      const lines = await payroll.list(`/pay-runs/${run}/lines`);
      const sheets = await payroll.list(`/paysheets?pay_run_id=${run}&embed=assignment`);
      for (const sheet of sheets) {
        const own = lines.filter(({ paysheet_id }) => paysheet_id === sheet.id);
        assert.deepEqual([cents(own), cents(sheet.lines), cents([sheet.assignment])], Array(3).fill(cents([sheet])));
      }
      const [{ total, totals }] = await payroll.list(`/pay-runs?id=${run}`);
      assert.equal(total, 326.61);
      assert.deepEqual([cents(lines), cents(sheets), cents(totals)], [32661, 32661, 32661]);
    });

    it('are a listing: with filters, fields, sort, pages, a count, as CSV and as NDJSON', async () => {
      const { run, second } = await prepare();
      const path = `/pay-runs/${run}/lines`;
      const names = async (query: string) =>
        (await payroll.list(`${path}?${query}`)).map(({ wage_type_name }) => wage_type_name);
      assert.deepEqual(await names(`assignment_id=${second}&amount=%3E10&sort=-amount`), [
        'Base hour',
        'Night',
        'Fare',
      ]);
      assert.deepEqual(await names('lastname=Vogt&wage_type_name=~night'), ['Night']);
      assert.deepEqual(await payroll.list(`${path}?fields=amount,date&limit=1`), [
        { amount: 130.5, date: '2026-06-12' },
      ]);
      const first = `${path}?limit=3&count=true&sort=-wage_type_name`;
      assert.equal((await client.call('GET', first)).headers['x-total-count'], '8');
      assert.deepEqual(await readPages(client, first), await payroll.list(`${path}?sort=-wage_type_name`));
      const csv = readCsv((await client.call('GET', `/pay-runs/${run}/lines.csv?sort=-amount`)).text);
      assert.deepEqual([csv.length, csv[0], csv[1]?.[14]], [9, fields, '135']);
      const { text } = await client.call('GET', `/pay-runs/${run}/lines.ndjson`);
      assert.deepEqual(readNdjson(text), await payroll.list(path));
    });

    it('are only found below their own pay run, by fields that they have', async () => {
      const { run } = await prepare();
      const empty = await payroll.run(await payroll.profile());
      assert.deepEqual(await payroll.list(`/pay-runs/${empty}/lines`), []);
      assert.equal((await client.call('GET', '/pay-runs/999999999/lines')).status, 404);
      const other = await app.newClient();
      assert.equal((await other.call('GET', `/pay-runs/${run}/lines`)).status, 404);
      for (const query of ['id=1', 'pay_run_id=1', 'sort=id', 'fields=id']) {
        const { status, body } = await client.call('GET', `/pay-runs/${run}/lines?${query}`);
        assert.deepEqual([status, body.code], [400, 'unknown_field'], query);
      }
      const poor = await app.newClient({ modules: new Set() });
      assert.equal((await poor.call('GET', `/pay-runs/${run}/lines`)).body.code, 'module_disabled');
    });
  });
});
