import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Exports } from '../../domain/payroll/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { wageTypes } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const use = {
  variables: { adviser: '1234567', client: '12345' },
  maps: { wage_types: { 'LA-100': '200', 'LA-210': '210' }, processing_keys: { hour: '1' }, units: { hour: '001' } },
};

/** The lines of the file, written by hand from the facts of the presets. */
const files: Readonly<Record<string, (codes: Readonly<Record<string, unknown>>) => string[]>> = {
  'datev-lodas': ({ person }) => [
    '[Allgemein]',
    'Ziel=LODAS',
    'Version_SST=1.0',
    'BeraterNr=1234567',
    'MandantenNr=12345',
    'Datumsformat=TT/MM/JJJJ',
    'Feldtrennzeichen=;',
    'Zahlenkomma=,',
    '',
    '[Satzbeschreibung]',
    '1;u_lod_bwd_buchung_standard;abrechnung_zeitraum#bwd;bs_wert_butab#bwd;bs_nr#bwd;la_eigene#bwd;pnr#bwd;',
    '',
    '[Bewegungsdaten]',
    `1;01/06/2026;9,00;1;200;${person};`,
    `1;01/06/2026;4,00;1;210;${person};`,
  ],
  'sap-2010': ({ person }) => [
    'PERNR\tLGART\tBEGDA\tENDDA\tANZHL\tZEINH\tBETRG\tWAERS',
    `0000${person}\t200\t20260612\t20260612\t9.00\t001\t130.50\tEUR`,
    `0000${person}\t210\t20260612\t20260612\t4.00\t001\t14.50\tEUR`,
  ],
  csv: ({ person, sheet, assignment, employee, project, projectCode, client, clientCode }) => [
    'paysheet_id,assignment_id,employee_id,employee_external_id,firstname,lastname,wage_type_id,wage_type_external_id,wage_type_name,date,quantity,unit,rate,factor,amount,currency,kind,corrects_period_start,corrects_period_end,corrects_paysheet_id,project_id,project_external_id,client_id,client_external_id',
    ...[
      ['1,LA-100,Base hour', '9,hour,14.5,1,130.5'],
      ['2,LA-210,Night', '4,hour,14.5,0.25,14.5'],
    ].map(
      ([type, pay]) =>
        `${sheet},${assignment},${employee},${person},'=Ada,"Vogt, ""the"" Ä",${type},2026-06-12,${pay},EUR,regular,,,,${project},${projectCode},${client},${clientCode}`,
    ),
  ],
};

forAnyApp(client => {
  const payroll = new Exports(client);

  describe('the presets of payroll formats', () => {
    it('say what they were compared with, and what is in doubt', async () => {
      const { body } = await client.call('GET', '/payroll-formats/presets');
      assert.deepEqual(
        body.map(({ preset, variables, maps }: Record<string, unknown>) => [preset, variables, maps]),
        [
          ['csv', [], []],
          ['datev-lodas', ['adviser', 'client'], ['wage_types', 'processing_keys']],
          ['sap-2010', [], ['wage_types', 'units']],
        ],
      );
      for (const { checked_on, source, doubts } of body) assert.ok(checked_on && source && doubts.length > 0);
    });

    it('guess neither adviser nor client nor keys', async () => {
      const response = await client.call('POST', '/payroll-formats/presets/datev-lodas', { body: {} });
      assertErrors(
        response,
        ...['not_empty variables.adviser', 'not_empty variables.client'],
        ...['not_empty maps.wage_types', 'not_empty maps.processing_keys'],
      );
      const blank = { ...use, variables: { adviser: '', client: ' ' } };
      assertErrors(
        await client.call('POST', '/payroll-formats/presets/datev-lodas', { body: blank }),
        ...['not_empty variables.adviser', 'not_empty variables.client'],
      );
      assert.equal((await client.call('POST', '/payroll-formats/presets/none', { body: {} })).status, 404);
    });

    it('make a format that can be changed, each time another one', async () => {
      const path = '/payroll-formats/presets/datev-lodas';
      const first = await client.call('POST', path, { body: { ...use, name: 'Ours', external_id: 'LODAS' } });
      assert.deepEqual([first.status, first.body.name, first.body.preset], [201, 'Ours', 'datev-lodas'], first.text);
      assert.equal(first.headers.location, `/api/v1/payroll-formats/${first.body.id}`);
      assert.equal((await payroll.put(`/payroll-formats/${first.body.id}`, { decimal: '.' })).status, 200);
      assertErrors(
        await client.call('POST', path, { body: { ...use, external_id: 'LODAS' } }),
        'not_unique external_id',
      );
      assert.equal((await client.call('POST', path, { body: use })).status, 201);
      assert.equal((await client.call('POST', `${path}?dry_run=true`, { body: use })).status, 201);
      assert.equal((await payroll.list('/payroll-formats?preset=datev-lodas')).length, 2);
    });

    for (const [preset, expected] of Object.entries(files))
      it(`write the file of ${preset} byte by byte`, async () => {
        const person = String(4100 + Object.keys(files).indexOf(preset));
        const [base, night] = wageTypes;
        const {
          run,
          assignment,
          person: employee,
        } = await payroll.exportable({ external_id: person, firstname: '=Ada', lastname: 'Vogt, "the" Ä' }, [
          base as object,
          { ...night, external_id: 'LA-210' },
        ]);
        const [line] = await payroll.list(`/pay-runs/${run}/lines?limit=1`);
        const made = await client.call('POST', `/payroll-formats/presets/${preset}`, { body: use });
        assert.equal(made.status, 201, made.text);
        const response = await payroll.export(run, made.body.id);
        assert.equal(response.status, 201, response.text);
        const text = expected({
          person,
          sheet: line.paysheet_id,
          assignment,
          employee,
          project: line.project_id,
          projectCode: line.project_external_id ?? '',
          client: line.client_id,
          clientCode: line.client_external_id ?? '',
        }).map(row => `${row}\r\n`);
        const bytes = await payroll.content(response.body.file_id);
        assert.equal(bytes.toString(), text.join(''));
      });
  });
});
