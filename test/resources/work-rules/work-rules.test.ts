import assert from 'node:assert/strict';
import { it } from 'node:test';
import { updateTenant } from '../../../src/domain/provision/update-tenant.ts';
import { createQualification, errorsOf } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

forAnyApp((client, app) => {
  const scene = new Scene(client);
  const post = (body: object, on = client) => on.call('POST', '/work-rules', { body: { name: 'R', ...body } });
  const put = (id: number, body: object) => client.call('PUT', `/work-rules/${id}`, { body });

  it('a tenant gets eleven hours of rest with the module, as a warning, and only as its first rule', async () => {
    const other = await app.newClient({ modules: new Set([]) });
    const set = (modules: readonly ('rules' | 'payroll')[]) =>
      updateTenant(other.database, other.tenant, { modules }, 'test');
    const rulesOf = async () => (await client.call('GET', '/work-rules?fields=kind,mode,parameters')).body;
    assert.deepEqual((await rulesOf()).slice(0, 1), [{ kind: 'rest', mode: 'warn', parameters: { minutes: 660 } }]);
    const stored = async () => {
      const db = other.database.forTenant(other.tenant);
      return db.snapshot(({ kysely }) => kysely.selectFrom('work_rules').select(['kind', 'mode']).execute());
    };
    assert.deepEqual(await stored(), []);
    await set(['rules']);
    assert.deepEqual(await stored(), [{ kind: 'rest', mode: 'warn' }]);
    await set(['payroll']);
    await set(['rules', 'payroll']);
    assert.equal((await stored()).length, 1);
  });

  it('a rule has the defaults of the document, and its parameters the schema of its kind', async () => {
    const made = await post({ kind: 'rest', parameters: { minutes: 600 } });
    assert.equal(made.status, 201, made.text);
    const { mode, basis, applies_to, except, time_zone, preset } = made.body;
    assert.deepEqual(
      { mode, basis, applies_to, except, time_zone, preset },
      { mode: 'warn', basis: 'both', applies_to: {}, except: null, time_zone: null, preset: null },
    );
    const wrong: [string, object, string[][]][] = [
      ['rest', {}, [['not_empty', 'parameters.minutes']]],
      ['rest', { minutes: 0 }, [['out_of_range', 'parameters.minutes']]],
      ['rest', { minutes: 60, weeks: 1 }, [['unknown_field', 'parameters.weeks']]],
      ['rest', { minutes: 60, same_work_minutes: 61 }, [['out_of_range', 'parameters.same_work_minutes']]],
      ['hours_per_day', { minutes: 600, per: 'hour' }, [['not_in_enumeration', 'parameters.per']]],
      ['weekly_rest', { minutes: 600, per_days: 8 }, [['not_in_enumeration', 'parameters.per_days']]],
      ['breaks', { steps: [] }, [['not_empty', 'parameters.steps']]],
      ['night', { from: '23:00', to: '06:00', over: 120 }, [['not_empty', 'parameters.minutes']]],
      ['night', { from: '24:00', to: '06:00', over: 120, minutes: 1 }, [['invalid_format', 'parameters.from']]],
      ['forbidden_hours', { windows: [] }, [['not_empty', 'parameters.windows']]],
    ];
    for (const [kind, parameters, errors] of wrong) {
      assert.deepEqual(errorsOf(await post({ kind, parameters })), errors, `${kind} ${JSON.stringify(parameters)}`);
      const changed = await put(made.body.id, { kind, parameters });
      assert.deepEqual(errorsOf(changed), errors);
    }
    assert.deepEqual(errorsOf(await put(made.body.id, { kind: 'days_in_a_row' })), [
      ['not_empty', 'parameters.days'],
      ['unknown_field', 'parameters.minutes'],
    ]);
  });

  it('an error of the parameters says what is wrong with which of them', async () => {
    const messages: [string, object, string][] = [
      ['rest', { minutes: 0 }, 'parameters.minutes: at least 1 is expected.'],
      ['rest', {}, 'A value is required.'],
      ['rest', { minutes: 60, weeks: 1 }, 'The field does not exist.'],
      ['rest', { minutes: null }, 'parameters.minutes: an integer is expected.'],
    ];
    for (const [kind, parameters, message] of messages) {
      const [error, ...others] = (await post({ kind, parameters })).body.errors;
      assert.deepEqual([error.message, others], [message, []]);
    }
  });

  it('scopes name records that exist; an exception has members', async () => {
    const rest = { kind: 'rest', parameters: { minutes: 600 } };
    const never = 9_007_199_254_740_991;
    const foreign = await new Scene(await app.newClient()).idOf('employees');
    const known = await scene.idOf('employees');
    const cases: [object, string[][]][] = [
      [{ applies_to: { employee_ids: [known, never] } }, [['reference_not_found', 'applies_to.employee_ids.1']]],
      [{ applies_to: { function_ids: [never] } }, [['reference_not_found', 'applies_to.function_ids.0']]],
      [{ applies_to: { qualification_ids: [never] } }, [['reference_not_found', 'applies_to.qualification_ids.0']]],
      [{ except: { client_ids: [never] } }, [['reference_not_found', 'except.client_ids.0']]],
      [{ except: { location_ids: [never] } }, [['reference_not_found', 'except.location_ids.0']]],
      [{ except: { wage_profile_ids: [never] } }, [['reference_not_found', 'except.wage_profile_ids.0']]],
      [{ applies_to: { employee_ids: [] } }, [['not_empty', 'applies_to.employee_ids']]],
      [{ except: {} }, [['not_empty', 'except']]],
      [{ applies_to: { sex: 1 } }, [['unknown_field', 'applies_to.sex']]],
    ];
    for (const [scope, errors] of cases) assert.deepEqual(errorsOf(await post({ ...rest, ...scope })), errors);
    assert.equal((await client.call('GET', `/employees/${foreign}`)).status === 200, foreign === known);
  });

  it('a record that a rule names stays, until the rule is gone', async () => {
    for (const [member, resource] of [
      ['employee_ids', 'employees'],
      ['function_ids', 'functions'],
    ] as const)
      for (const scope of ['applies_to', 'except']) {
        const id = await scene.create(resource);
        const rule = await post({ kind: 'rest', parameters: { minutes: 1 }, [scope]: { [member]: [id] } });
        assert.equal(rule.status, 201, rule.text);
        const refused = await client.call('DELETE', `/${resource}/${id}`);
        assert.deepEqual([refused.status, refused.body.code], [409, 'still_referenced']);
        await client.call('DELETE', `/work-rules/${rule.body.id}`);
        assert.equal((await client.call('DELETE', `/${resource}/${id}`)).status, 204);
      }
  });

  it('a value that is marked as deleted stays valid in a rule, and is none for a new one', async () => {
    const qualification = await createQualification(client);
    const scope = { applies_to: { qualification_ids: [qualification] } };
    const rule = await post({ kind: 'rest', parameters: { minutes: 1 }, ...scope });
    const [{ id: collection }] = (await client.call('GET', '/collections?identifier=qualifications')).body;
    const removed = await client.call('DELETE', `/collections/${collection}/value/${qualification}`);
    assert.ok(removed.status < 300, removed.text);
    assert.equal((await put(rule.body.id, { name: 'S', ...scope })).status, 200);
    assert.deepEqual(errorsOf(await post({ kind: 'rest', parameters: { minutes: 1 }, ...scope })), [
      ['reference_inactive', 'applies_to.qualification_ids.0'],
    ]);
  });

  it('at most 200 rules are not off, whatever is off', async () => {
    const other = await app.newClient();
    const rule = { kind: 'rest', parameters: { minutes: 1 } };
    const off = await post({ ...rule, mode: 'off' }, other);
    const { length: count } = (await other.call('GET', '/work-rules?mode=-off')).body;
    // One after the other: each write renews the version that all requests prove.
    const made: number[] = [];
    for (let more = 200 - count; more > 0; more--) {
      const { status, body } = await post(rule, other);
      assert.equal(status, 201);
      made.push(body.id);
    }
    assert.deepEqual(errorsOf(await post(rule, other)), [['too_many_items', 'mode']]);
    const on = await other.call('PUT', `/work-rules/${off.body.id}`, { body: { mode: 'warn' } });
    assert.deepEqual(errorsOf(on), [['too_many_items', 'mode']]);
    assert.equal((await post({ ...rule, mode: 'off' }, other)).status, 201);
    assert.equal((await other.call('PUT', `/work-rules/${made[0]}`, { body: { name: 'Still' } })).status, 200);
  });

  it('a preset makes its rules once, with their URL, as warnings of what it says they apply to', async () => {
    const other = await app.newClient();
    const { body: presets } = await other.call('GET', '/work-rules/presets');
    assert.deepEqual(
      presets.map(({ preset, rules }: { preset: string; rules: object[] }) => [preset, rules.length]),
      [
        ['eu', 3],
        ['de', 5],
        ['de-minors', 6],
        ['de-hire-out', 1],
      ],
    );
    const make = (preset: string, body: object = {}) => other.call('POST', `/work-rules/presets/${preset}`, { body });
    type Rule = { id: number; preset: string; mode: string; applies_to: object; source: string };
    const first = await make('de-minors');
    const made: Rule[] = first.body;
    const listed = await other.call('GET', String(first.headers.location).replace('/api/v1', ''));
    assert.deepEqual([first.status, listed.body], [201, made]);
    assert.deepEqual([...new Set(made.map(({ mode }) => mode))], ['warn']);
    assert.ok(made.every(({ applies_to, source }) => /18/.test(JSON.stringify(applies_to)) && /JArbSchG/.test(source)));
    const again = await make('de-minors');
    assert.deepEqual([again.status, again.headers.location, again.body], [200, undefined, []]);
    await other.call('DELETE', `/work-rules/${made[2]?.id}`);
    const missing = (await make('de-minors', { mode: 'refuse', applies_to: { age_from: 15, age_below: 99 } })).body;
    assert.deepEqual(
      missing.map(({ preset, mode, applies_to }: Rule) => [preset, mode, applies_to]),
      [['de-minors.breaks', 'refuse', { age_from: 15, age_below: 18 }]],
    );
    await other.call('DELETE', `/work-rules/${made[3]?.id}`);
    const [younger] = (await make('de-minors', { applies_to: { age_below: 15 } })).body;
    assert.deepEqual(younger.applies_to, { age_below: 15 });
    const wrong = await make('eu', { applies_to: { employee_ids: [9_007_199_254_740_991] } });
    assert.deepEqual(errorsOf(wrong), [['reference_not_found', 'applies_to.employee_ids.0']]);
    assert.equal((await make('fr')).status, 404);
    const twice = await Promise.all([make('eu'), make('eu')]);
    assert.deepEqual(twice.map(({ body }) => body.length).toSorted(), [0, 3]);
  });
});
