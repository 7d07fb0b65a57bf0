import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Module, modules } from '../../../src/core/resource/modules.ts';
import { followConflicts } from '../../../src/domain/conflicts/follow.ts';
import { finishConflicts, rebuildConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import { updateTenant } from '../../../src/domain/provision/update-tenant.ts';
import { InputError } from '../../../src/tenancy/names.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { addTired, conflictsOf, evening, morning, parts, type Shown, tenantWith } from './scene.ts';

forEachApp((_, app) => {
  describe('the conflicts of a plan', () => {
    it('are double bookings, absences and missing qualifications', async () => {
      const { client, staffing } = await tenantWith(app, null);
      const employee = await staffing.employee();
      const one = await staffing.assignment(employee, await staffing.shift(...evening), 6);
      const [start, end] = ['2036-06-12T20:00:00Z', '2036-06-13T02:00:00Z'];
      const required_qualifications = [await staffing.qualification()];
      const place = await staffing.shift(start, end, { required_qualifications });
      const body = { employee_id: employee, event_function_id: place, status: 6 };
      const other = (await client.call('POST', '/assignments?force=true', { body })).body.id;
      const away = { employee_id: employee, start: '2036-06-12T14:00:00Z', end: '2036-06-12T17:00:00Z' };
      const busy = await staffing.create('busy-dates', away);
      const found = await conflictsOf(client);
      const [common, absent, missing] = ['double_booked', 'absent', 'not_qualified'].map(type =>
        found.find(conflict => conflict.type === type),
      );
      assert.equal(found.length, 3);
      assert.deepEqual(
        { ...common, id: 0, opened_at: '', event_id: 0, client_id: 0 },
        {
          id: 0,
          type: 'double_booked',
          severity: 'error',
          basis: null,
          rule_id: null,
          kind: null,
          employee_id: employee,
          assignment_id: other,
          other_assignment_id: one,
          assignment_ids: [other, one],
          busy_date_id: null,
          event_id: 0,
          client_id: 0,
          start,
          end: evening[1],
          actual: null,
          limit: null,
          unit: null,
          overridden: 1,
          opened_at: '',
        },
      );
      assert.deepEqual(parts([absent as Shown], 'type', 'busy_date_id', 'start', 'end', 'overridden'), [
        ['absent', busy, evening[0], away.end, 0],
      ]);
      assert.deepEqual(parts([missing as Shown], 'type', 'assignment_id', 'overridden'), [['not_qualified', other, 1]]);
      assert.equal(await rebuildConflicts(client.database.forTenant(client.tenant)), 0);
    });

    it('are breaches of working-time rules', async () => {
      const { client, staffing, rule } = await tenantWith(app, {});
      const employee = await staffing.employee();
      const one = await staffing.assignment(employee, await staffing.shift(...evening), 6);
      const other = await staffing.assignment(employee, await staffing.shift(...morning), 6);
      const [conflict, ...more] = await conflictsOf(client);
      assert.deepEqual(more, []);
      assert.deepEqual(
        parts(
          [conflict as Shown],
          'type',
          'severity',
          'basis',
          'rule_id',
          'kind',
          'assignment_id',
          'other_assignment_id',
        ),
        [['work_rule', 'warning', 'planned', rule, 'rest', other, one]],
      );
      assert.deepEqual(parts([conflict as Shown], 'start', 'end', 'actual', 'limit', 'unit'), [
        [evening[1], morning[0], 600, 660, 'minutes'],
      ]);
      await client.call('PUT', `/work-rules/${rule}`, { body: { mode: 'refuse' } });
      assert.deepEqual(parts(await conflictsOf(client), 'id', 'severity'), [[conflict?.id, 'error']]);
      await client.call('DELETE', `/work-rules/${rule}`);
      assert.deepEqual(await conflictsOf(client), []);
    });

    it('keeps its id while the times change, and goes with what stands against the plan', async () => {
      const { client, staffing } = await tenantWith(app, {});
      const { place, other } = await addTired(staffing);
      const [before] = await conflictsOf(client);
      await client.call('PUT', `/event-functions/${place}`, {
        body: { start: '2036-06-13T07:00:00Z', end: morning[1] },
      });
      assert.deepEqual(parts(await conflictsOf(client), 'id', 'actual'), [[before?.id, 540]]);
      await staffing.setStatus(other, 8);
      assert.deepEqual(await conflictsOf(client), []);
      assert.equal((await client.call('GET', `/conflicts/${before?.id}`)).status, 404);
    });

    it('a missing birthday is one where a rule with an age could apply', async () => {
      const { client, staffing } = await tenantWith(app, { applies_to: { age_below: 18 } });
      const { employee, one, other } = await addTired(staffing, { birthday: null });
      await staffing.employee({ birthday: null });
      assert.deepEqual(parts(await conflictsOf(client), 'type', 'employee_id', 'assignment_ids', 'start', 'end'), [
        ['birthday_missing', employee, [one, other], evening[0], morning[1]],
      ]);
      await client.call('PUT', `/employees/${employee}`, { body: { birthday: '2020-01-01' } });
      assert.deepEqual(parts(await conflictsOf(client), 'type', 'kind'), [['work_rule', 'rest']]);
    });

    it('of several alike is the one furthest from its limit', async () => {
      const { client, staffing } = await tenantWith(app, {
        kind: 'hours_per_day',
        parameters: { minutes: 60, per: 'calendar_day' },
      });
      // Two hours before midnight, five hours after it, two hours ahead of UTC.
      const place = await staffing.shift('2036-06-12T20:00:00Z', '2036-06-13T03:00:00Z');
      await staffing.assignment(await staffing.employee(), place, 6);
      assert.deepEqual(parts(await conflictsOf(client), 'kind', 'actual'), [['hours_per_day', 300]]);
    });

    it('is found of work that never ends, as well', async () => {
      const rule = { kind: 'hours_per_week', parameters: { minutes: 2400 } };
      const { client, staffing } = await tenantWith(app, rule);
      const place = await staffing.shift('2036-06-12T16:00:00Z', '9998-12-30T00:00:00Z');
      await staffing.assignment(await staffing.employee(), place, 6);
      assert.deepEqual(parts(await conflictsOf(client), 'kind', 'actual'), [['hours_per_week', 400 * 24 * 60]]);
    });

    it('misses no birthday of a person who is forgotten', async () => {
      const { client, staffing } = await tenantWith(app, { applies_to: { age_below: 18 } });
      const employee = await staffing.employee({ birthday: '1990-01-01' });
      for (const [start, end] of [
        ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'],
        ['2026-06-13T08:00:00Z', '2026-06-13T12:00:00Z'],
      ] as const)
        await staffing.assignment(employee, await staffing.shift(start, end), 6);
      assert.deepEqual(await conflictsOf(client), []);
      assert.equal((await client.call('DELETE', `/employees/${employee}?anonymize=true`)).status, 204);
      assert.deepEqual(await conflictsOf(client), []);
    });

    it('has no rules without their module, and all of them again with it', async () => {
      const { client, staffing } = await tenantWith(app, {});
      await addTired(staffing);
      const { database, tenant } = client;
      const change = async (modules: readonly Module[]) => updateTenant(database, tenant, { modules }, 'test');
      assert.equal((await conflictsOf(client)).length, 1);
      await change(modules.filter(module => module !== 'rules'));
      assert.deepEqual(await conflictsOf(client), []);
      await change(modules);
      assert.equal((await conflictsOf(client)).length, 1);
    });

    it('stays as it is while the tenant is disabled', { timeout: 60_000 }, async () => {
      const { client, staffing } = await tenantWith(app, {});
      await addTired(staffing);
      const { database, tenant } = client;
      const db = database.forTenant(tenant);
      await updateTenant(database, tenant, { active: false }, 'test');
      const stays = { position: 0, more: false, changes: 0, isOutdated: true };
      assert.deepEqual(await followConflicts(db), stays);
      // Nobody can take them to the present, and nobody tries for ever.
      assert.deepEqual(await finishConflicts(db), stays);
      await assert.rejects(
        rebuildConflicts(db),
        new InputError(`The tenant "${tenant.slug}" is disabled, or is being reset: nobody writes its records`),
      );
      await updateTenant(database, tenant, { active: true }, 'test');
      assert.equal((await conflictsOf(client)).length, 1);
    });

    it('is found again where the journal begins anew', async () => {
      const { client, staffing } = await tenantWith(app, {});
      await addTired(staffing);
      const found = await conflictsOf(client);
      const { database, tenant } = client;
      await database
        .forTenant(tenant)
        .transaction(({ kysely }) => kysely.updateTable('conflicts').set({ actual: 1 }).execute());
      assert.equal((await conflictsOf(client))[0]?.actual, 1);
      await database.renewJournal(tenant.id, {});
      assert.deepEqual(await conflictsOf(client), found);
    });
  });
});
