import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { Exports } from '../../domain/payroll/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const cells = [
  { value: 'employee_external_id' },
  { value: 'wage_type_name' },
  { value: 'quantity' },
  { value: 'amount' },
];

forAnyApp(client => {
  const payroll = new Exports(client);
  let people = 0;
  const external_id = () => `P-${++people}`;

  describe('an export', () => {
    it('has the lines of the run as the format says, in a private file that is kept with its hash', async () => {
      const code = external_id();
      const { run } = await payroll.exportable({ external_id: code });
      const format = await payroll.format({ cells, header: 'Run {{name}}', footer: 'End' });
      assert.equal(format.status, 201, format.text);
      const { status, body, text, headers } = await payroll.export(run, format.body.id);
      assert.equal(status, 201, text);
      assert.equal(headers.location, `/api/v1/payroll-exports/${body.id}`);
      const bytes = await payroll.content(body.file_id);
      const rows = (await payroll.list(`/pay-runs/${run}/lines`)).map(
        line => `${code};${line.wage_type_name};${line.quantity};${line.amount}\r\n`,
      );
      assert.equal(bytes.toString(), `Run Run\r\n${rows.join('')}End\r\n`);
      assert.equal(body.sha256, createHash('sha256').update(bytes).digest('hex'));
      const { totals } = (await payroll.list(`/pay-runs?id=${run}`))[0];
      assert.deepEqual(
        [body.pay_run_id, body.payroll_format_id, body.lines, body.totals, body.acknowledged_on, body.preview],
        [run, format.body.id, rows.length, totals, null, null],
      );
      const [file] = await payroll.list(`/files?id=${body.file_id}`);
      assert.deepEqual([file.visibility, file.name, file.size], ['private', 'Run.csv', bytes.length]);
      assert.deepEqual(await payroll.list(`/payroll-exports?pay_run_id=${run}`), [body]);
    });

    it('is only made of a run that is approved or paid', async () => {
      const { run } = await payroll.exportable();
      const format = (await payroll.format({ cells })).body.id;
      await payroll.setRun(run, { status: 1 });
      assertErrors(await payroll.export(run, format), 'invalid_transition status');
      await payroll.payRun(run);
      assert.equal((await payroll.export(run, format)).status, 201);
      assert.equal((await payroll.export(999_999, format)).status, 404);
      assertErrors(await payroll.export(run, 999_999), 'reference_not_found payroll_format_id');
    });

    it('keeps its run from being opened again while it is acknowledged', async () => {
      const { run } = await payroll.exportable();
      const format = (await payroll.format({ cells })).body.id;
      const { id } = (await payroll.export(run, format)).body;
      assert.equal((await payroll.acknowledge(id)).status, 200);
      assertErrors(await payroll.setRun(run, { status: 1 }), 'invalid_transition status');
      assert.equal((await payroll.acknowledge(id, null)).status, 200);
      assert.equal((await payroll.setRun(run, { status: 1 })).status, 200);
      assertErrors(await payroll.acknowledge(id), 'invalid_transition acknowledged_on');
    });

    it('has the same bytes again as long as nothing that it shows has changed, and other ones then', async () => {
      const code = external_id();
      const { run, person } = await payroll.exportable({ external_id: code });
      const format = (await payroll.format({ cells: [...cells, { value: 'lastname' }] })).body.id;
      const first = (await payroll.export(run, format)).body;
      const second = (await payroll.export(run, format)).body;
      assert.notEqual(first.file_id, second.file_id);
      assert.equal(first.sha256, second.sha256);
      assert.equal((await payroll.put(`/employees/${person}`, { lastname: 'Brandt' })).status, 200);
      assert.notEqual((await payroll.export(run, format)).body.sha256, first.sha256);
    });

    it('is made once for an Idempotency-Key', async () => {
      const { run } = await payroll.exportable();
      const format = (await payroll.format({ cells })).body.id;
      const headers = { 'idempotency-key': `export-${run}` };
      const first = await payroll.export(run, format, '', headers);
      const again = await payroll.export(run, format, '', headers);
      assert.deepEqual([again.status, again.body], [201, first.body]);
      assert.equal((await payroll.list(`/payroll-exports?pay_run_id=${run}`)).length, 1);
    });

    it('that is tried out shows its first lines, and stores nothing', async () => {
      const code = external_id();
      const { run } = await payroll.exportable({ external_id: code });
      const format = (await payroll.format({ cells })).body.id;
      const files = await payroll.list('/files?fields=id');
      const { status, body, text } = await payroll.export(run, format, '?dry_run=true');
      assert.equal(status, 201, text);
      assert.deepEqual(body.preview.slice(0, 1), [`${code};Base hour;9;130.5`]);
      assert.equal(body.preview.length, body.lines);
      assert.equal((await payroll.export(run, format)).body.sha256, body.sha256);
      assert.equal((await payroll.list(`/payroll-exports?pay_run_id=${run}`)).length, 1);
      assert.equal((await payroll.list('/files?fields=id')).length, files.length + 1);
    });

    it('names each line that cannot be written, and is not made then', async () => {
      const { run } = await payroll.exportable({ lastname: 'Łukasz' });
      const tell = async (body: object, ...expected: string[]) => {
        const format = await payroll.format(body);
        assert.equal(format.status, 201, format.text);
        assertErrors(await payroll.export(run, format.body.id), ...expected);
      };
      const [lines] = [(await payroll.list(`/pay-runs/${run}/lines`)).length];
      const each = (code: string, field: string) =>
        Array.from({ length: lines }, (_, index) => `${code} lines.${index}.${field}`);
      await tell({ cells, required: ['employee_external_id'] }, ...each('not_empty', 'employee_external_id'));
      await tell({ cells: [{ value: 'lastname', width: 3 }] }, ...each('too_long', 'lastname'));
      await tell(
        { cells: [{ value: 'lastname' }], encoding: 'windows-1252' },
        ...each('invalid_character', 'lastname'),
      );
      await tell(
        { cells: [{ value: 'wage_type_name', map: 'm' }], maps: { m: { 'Base hour': '1' } } },
        ...each('not_empty', 'wage_type_name').slice(1),
      );
      await tell({ cells, header: 'Ł', encoding: 'windows-1252' }, 'invalid_character header');
      await tell({ cells: [{ text: 'Ł' }], encoding: 'windows-1252' }, 'invalid_character cells.0.text');
      assert.deepEqual(await payroll.list(`/payroll-exports?pay_run_id=${run}`), []);
    });
  });
});
