import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { Importer, send } from './importer.ts';

const evening = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;
const morning = ['2036-06-13T08:00:00Z', '2036-06-13T12:00:00Z'] as const;
const later = ['2036-06-20T08:00:00Z', '2036-06-20T12:00:00Z'] as const;

// A new tenant warns of less than eleven hours of rest.
forAnyApp((client, app) => {
  const staffing = new Staffing(client);
  const importer = new Importer(app);
  const imported = async (path: string, rows: readonly object[]) => {
    const accepted = await send(client, path, rows);
    assert.equal(accepted.status, 202, accepted.text);
    await importer.work(client);
    return `/imports/${accepted.body.id}/results`;
  };
  const verdict = { kind: 'rest', basis: 'planned', actual: 600, limit: 660, unit: 'minutes' };

  it('rows that were written have warnings, in all formats; rows that have failed have none', async () => {
    const employee_id = await staffing.employee();
    const worked = await staffing.assignment(employee_id, await staffing.shift(...evening), 6);
    const place = await staffing.shift(...morning);
    const rows = [
      { employee_id, event_function_id: place, status: 6 },
      { employee_id, event_function_id: place, status: 6 },
    ];
    const path = await imported('/assignments/import', rows);
    const [{ rule_id, ...warning }, ...others] = (await client.call('GET', path)).body[0].warnings;
    assert.ok(rule_id > 0);
    const times = { start: evening[1], end: morning[0], assignment_ids: [worked] };
    assert.deepEqual([warning, others], [{ ...verdict, ...times }, []]);
    const { body } = await client.call('GET', `${path}?fields=result,warnings&warnings=null`);
    assert.deepEqual(body, []);
    const shown = (await client.call('GET', `${path}?fields=result,warnings`)).body;
    assert.deepEqual(shown[1], { result: 'failed', warnings: [] });
    for (const format of ['csv', 'ndjson', 'xml']) {
      const text = (await client.call('GET', path.replace('results', `results.${format}`))).text;
      assert.match(text, /rest/, format);
      assert.match(text, /600/, format);
    }
  });

  it('who cannot read assignments sees the verdict alone, whoever has sent the import', async () => {
    const employee = await staffing.employee();
    await staffing.assignment(employee, await staffing.shift(...evening), 6);
    const event = await staffing.event(...later);
    await staffing.assignment(employee, await staffing.place(event), 6);
    const [start, end] = morning;
    const path = await imported('/events/import', [{ id: event, start, end }]);
    const readAs = async (name: string, scopes: readonly string[]) => {
      const user = { name, readOnly: true, scopes: ['imports:read', 'events:read', ...scopes] };
      const { id } = await createApiUser(client.database, client.tenant, user);
      const token = await app.tokenOf(client.tenant, id);
      const { body, text } = await app.callAs({ tenant: client.tenant, token }, 'GET', path);
      assert.equal(body.length, 1, text);
      const [{ rule_id: _, ...warning }] = body[0].warnings;
      return warning;
    };
    assert.deepEqual(await readAs('reader of events', []), verdict);
    const whole = await readAs('reader of assignments', ['assignments:read']);
    assert.deepEqual(Object.keys(whole).sort(), [...Object.keys(verdict), 'start', 'end', 'assignment_ids'].sort());
  });

  it('who cannot read assignments sees of an error the verdict alone, whoever has sent the import', async () => {
    const employee = await staffing.employee();
    const event = await staffing.event(...evening);
    await staffing.assignment(employee, await staffing.place(event), 6);
    await staffing.assignment(employee, await staffing.shift(...later), 6);
    const parameters = { minutes: 360 };
    const rule = {
      name: 'R',
      kind: 'hours_per_day',
      mode: 'refuse',
      parameters,
      applies_to: { employee_ids: [employee] },
    };
    assert.equal((await client.call('POST', '/work-rules', { body: rule })).status, 201);
    const rows = [{ id: event, start: later[0], end: '2036-06-20T15:00:00Z' }];
    const path = await imported('/events/import', rows);
    const readAs = async (name: string, scopes: readonly string[]) => {
      const user = { name, readOnly: true, scopes: ['imports:read', 'events:read', ...scopes] };
      const { id } = await createApiUser(client.database, client.tenant, user);
      const token = await app.tokenOf(client.tenant, id);
      return (await app.callAs({ tenant: client.tenant, token }, 'GET', path)).body[0].errors;
    };
    const names = (errors: readonly object[]) => errors.map(error => Object.keys(error).sort());
    const booked = ['code', 'field', 'message'];
    const broken = ['actual', 'basis', 'code', 'field', 'kind', 'limit', 'message', 'rule_id', 'unit'];
    assert.deepEqual(names(await readAs('reader of errors', [])), [booked, broken]);
    assert.deepEqual(names(await readAs('reader of all errors', ['assignments:read'])), [
      [...booked, 'assignment_id', 'conflicts'].sort(),
      [...broken, 'assignment_id', 'assignment_ids', 'end', 'start'].sort(),
    ]);
  });

  it('a rehearsal names no assignment that it would make', async () => {
    const employee_id = await staffing.employee();
    const rows = [
      { employee_id, event_function_id: await staffing.shift(...evening), status: 6 },
      { employee_id, event_function_id: await staffing.shift(...morning), status: 6 },
    ];
    const path = await imported('/assignments/import?dry_run=true', rows);
    const [first, second] = (await client.call('GET', path)).body;
    assert.deepEqual([first.result, first.warnings, second.result], ['created', [], 'created']);
    const [{ actual, assignment_ids }] = second.warnings;
    assert.deepEqual([actual, assignment_ids], [600, []]);
    const [{ id }] = (await client.call('GET', '/work-rules?kind=rest&fields=id')).body;
    await client.call('PUT', `/work-rules/${id}`, { body: { mode: 'refuse' } });
    const refused = await imported('/assignments/import?dry_run=true', rows);
    const [error] = (await client.call('GET', refused)).body[1].errors;
    const { rule_id, kind, limit } = error;
    assert.deepEqual([rule_id, kind, error.actual, limit, error.assignment_ids], [id, 'rest', 600, 660, []]);
  });
});
