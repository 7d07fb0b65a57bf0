import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Exports } from '../../domain/payroll/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';

const cells = [{ value: 'lastname' }, { value: 'amount' }];

forAnyApp((client, app) => {
  const payroll = new Exports(client);

  describe('the file of an export', () => {
    it('is read only by those who may read exports and pay', async () => {
      const { run } = await payroll.exportable();
      const format = (await payroll.format({ cells })).body.id;
      const { file_id, id } = (await payroll.export(run, format)).body;
      const path = `/files/${file_id}/content`;
      const allowed = await restricted(app, client, { scopes: ['files:read', 'payroll-exports:read'] });
      assert.equal((await allowed.call('GET', path)).status, 200);
      for (const access of [{ scopes: ['files:read'] }, { hidden: ['pay'] as const }]) {
        const caller = await restricted(app, client, access);
        assert.equal((await caller.call('GET', path)).status, 404);
        assert.equal((await caller.call('GET', `/files/${file_id}`)).status, 404);
      }
      const withoutPay = await restricted(app, client, { hidden: ['pay'] });
      const { body } = await withoutPay.call('GET', `/payroll-exports/${id}`);
      for (const name of ['file_id', 'sha256', 'lines', 'totals', 'preview']) assert.ok(!(name in body), name);
      const asked = { body: { payroll_format_id: format } };
      assertErrors(await withoutPay.call('POST', `/pay-runs/${run}/exports`, asked), 'unknown_field payroll_format_id');
    });

    it('stays when the person is forgotten', async () => {
      const { run, person } = await payroll.exportable();
      const format = (await payroll.format({ cells })).body.id;
      const { file_id } = (await payroll.export(run, format)).body;
      const before = await payroll.content(file_id);
      const { status, text } = await client.call('DELETE', `/employees/${person}?anonymize=true`);
      assert.ok(status === 200 || status === 204, text);
      assert.deepEqual(await payroll.content(file_id), before);
    });
  });
});
