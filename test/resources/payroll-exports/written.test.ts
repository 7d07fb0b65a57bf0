import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Exports } from '../../domain/payroll/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const payroll = new Exports(client);

  describe('the bytes of a payroll file', () => {
    it('have fixed widths, digits, scales, units and maps, as written by hand', async () => {
      const { run } = await payroll.exportable({ external_id: '77' });
      const bytes = await payroll.written(run, {
        delimiter: null,
        newline: 'lf',
        decimal: ',',
        date: 'dd.MM.yyyy',
        header: '{{client}} {{period_start}}\n{{name}}',
        footer: 'END',
        variables: { client: '4711' },
        maps: { keys: { 1: 'A', 2: 'B', 4: 'C' } },
        cells: [
          { value: 'employee_external_id', width: 8, pad: '0', align: 'right' },
          { value: 'wage_type_id', map: 'keys', width: 2 },
          { value: 'quantity', unit: 'hundredths', digits: 6 },
          { text: '|' },
          { value: 'quantity', unit: 'minutes', scale: 1 },
          { text: '{{client}}', width: 6, pad: '.' },
          { value: 'amount', scale: 2, width: 9, pad: '*', align: 'right' },
          { value: 'date', width: 11 },
          { value: 'wage_type_external_id', width: 7, pad: '-' },
        ],
      });
      assert.equal(
        bytes.toString(),
        [
          '4711 01.06.2026',
          'Run',
          '00000077A 000900|540,04711..***130,5012.06.2026 LA-100-',
          '00000077B 000400|240,04711..****14,5012.06.2026 -------',
          '00000077C 000001|1,04711..****12,3012.06.2026 -------',
          'END\n',
        ].join('\n'),
      );
    });

    it('are those of the encoding: a mark of UTF-8, and one byte a character in Windows-1252', async () => {
      const { run } = await payroll.exportable({ external_id: 'W-1', lastname: 'Möß–€' });
      const written = async (encoding: string): Promise<string> => {
        const bytes = await payroll.written(run, {
          encoding,
          header: 'Ž',
          footer: '‰',
          newline: 'lf',
          group_by: ['lastname'],
          cells: [{ value: 'lastname' }],
        });
        return bytes.toString('hex');
      };
      assert.equal(await written('windows-1252'), '8e0a4df6df96800a890a');
      assert.equal(await written('utf-8'), 'c5bd0a4dc3b6c39fe28093e282ac0ae280b00a');
      assert.equal(await written('utf-8-bom'), 'efbbbfc5bd0a4dc3b6c39fe28093e282ac0ae280b00a');
    });

    it('quote cells that contain the delimiter or the quote, and no others; what reads like a formula stays', async () => {
      const { run } = await payroll.exportable({ external_id: 'Q-1', firstname: '=A,"B"', lastname: 'C;D' });
      const cells = [{ value: 'firstname' }, { value: 'lastname' }, { text: "x'y" }];
      const rows = { newline: 'lf', group_by: ['firstname', 'lastname'], cells };
      const written = async (more: object) => (await payroll.written(run, { ...rows, ...more })).toString();
      assert.equal(await written({}), `"=A,""B""";"C;D";x'y\n`);
      assert.equal(await written({ delimiter: ',' }), `"=A,""B""",C;D,x'y\n`);
      assert.equal(await written({ delimiter: '|', quote: "'" }), `=A,"B"|C;D|'x''y'\n`);
      assert.equal(await written({ delimiter: null }), `=A,"B"C;Dx'y\n`);
      assert.equal(await written({ delimiter: '\t', quote: null }), `=A,"B"\tC;D\tx'y\n`);
      const unquoted = (await payroll.format({ ...rows, quote: null })).body.id;
      assertErrors(await payroll.export(run, unquoted), 'invalid_character lines.0.lastname');
    });

    it('sum what is grouped: two assignments of one person, by wage type', async () => {
      const { run, profile, person } = await payroll.exportable({ external_id: 'S-1' });
      await payroll.setRun(run, { status: 1 });
      await payroll.remove(run);
      await payroll.approved({ profile, employee: person, times: ['2026-06-13T16:00:00Z', '2026-06-13T20:15:00Z'] });
      const both = await payroll.run(profile);
      await payroll.setRun(both, { status: 2 });
      const bytes = await payroll.written(both, {
        decimal: ',',
        group_by: ['employee_external_id', 'wage_type_name'],
        cells: [
          { value: 'employee_external_id' },
          { value: 'wage_type_name' },
          { value: 'quantity', scale: 2 },
          { value: 'amount' },
        ],
      });
      // 9 and 4.25 hours at 14.50, 4 in the night at a quarter of it, and the fare twice.
      assert.equal(bytes.toString(), 'S-1;Base hour;13,25;192,13\r\nS-1;Fare;2,00;24,6\r\nS-1;Night;4,00;14,5\r\n');
    });

    it('are rejected where the encoding lacks what fills a cell', async () => {
      const { run } = await payroll.exportable();
      const cells = [{ value: 'wage_type_id', width: 3, pad: 'Ł' }];
      const format = (await payroll.format({ cells, encoding: 'windows-1252', group_by: ['wage_type_id'] })).body.id;
      const of = (line: number) => `invalid_character lines.${line}.wage_type_id`;
      assertErrors(await payroll.export(run, format), of(0), of(1), of(2));
    });
  });

  describe('a file', () => {
    it('is called as the format says; slashes of its dates become hyphens', async () => {
      const { run } = await payroll.exportable();
      const format = await payroll.format({
        cells: [{ value: 'amount' }],
        date: 'dd/MM/yyyy',
        file_name: 'pay-{{period_start}}.txt',
      });
      const { file_id } = (await payroll.export(run, format.body.id)).body;
      const [file] = await payroll.list(`/files?id=${file_id}`);
      assert.equal(file.name, 'pay-01-06-2026.txt');
    });

    it('of an export is kept while the export is, and both are in the journal', async () => {
      const { run } = await payroll.exportable();
      const format = (await payroll.format({ cells: [{ value: 'amount' }] })).body.id;
      const { id, file_id } = (await payroll.export(run, format)).body;
      const removal = await client.call('DELETE', `/files/${file_id}`);
      assert.deepEqual([removal.status, removal.body.code], [409, 'still_referenced']);
      await payroll.acknowledge(id);
      const { body } = await client.call('GET', '/changes?resource=payroll-exports,files&limit=1000');
      const told = body.changes
        .filter((entry: { id: number; resource: string }) => entry.id === (entry.resource === 'files' ? file_id : id))
        .map((entry: { resource: string; change: string }) => [entry.resource, entry.change]);
      assert.deepEqual(told, [
        ['files', 'created'],
        ['payroll-exports', 'created'],
        ['payroll-exports', 'updated'],
      ]);
    });
  });
});
