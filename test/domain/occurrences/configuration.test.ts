import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyDatabase } from '../../support/database.ts';
import { useApp } from '../../support/for-each-app.ts';

const hook = { routine_type: 'webhook.post', routine_configuration: '{"url":"https://hooks.example.com/x"}' };
const changed = { trigger_type: 'assignment.status_changed', trigger_configuration: '{}' };

/** What is good; each has one thing changed. */
const good: readonly object[] = [
  { ...changed, ...hook },
  { ...changed, ...hook, trigger_configuration: '{"to":[6,7]}' },
  { ...hook, trigger_type: 'checkin.created', trigger_configuration: '{"type":[1,4]}' },
  { ...hook, trigger_type: 'event.starts_in', trigger_configuration: '{"minutes":0}' },
  { ...hook, trigger_type: 'function.understaffed', trigger_configuration: '{"minutes":525600}' },
  { ...changed, routine_type: 'assignment.set_status', routine_configuration: '{"status":7}' },
  { ...changed, routine_type: 'function.lock', routine_configuration: '{}' },
  {
    trigger_type: 'event.starts_in',
    trigger_configuration: '{}',
    routine_type: 'function.lock',
    routine_configuration: '{}',
  },
  {
    ...changed,
    ...hook,
    routine_configuration: '{"url":"http://hooks.example.com:8080/a?b=c","headers":{"X-Key":"v"}}',
  },
];

const trigger = (trigger_type: string, trigger_configuration: string) => ({
  ...hook,
  trigger_type,
  trigger_configuration,
});
const routine = (routine_type: string, routine_configuration: string) => ({
  ...changed,
  routine_type,
  routine_configuration,
});
const webhook = (configuration: unknown) => routine('webhook.post', JSON.stringify(configuration));
const url = (text: unknown) => webhook({ url: text });
const header = (headers: unknown) => webhook({ url: 'https://a.example/', headers });

const bad: readonly [given: object, code: string, field: string, says: RegExp][] = [
  [trigger('assignment.moved', '{}'), 'not_in_enumeration', 'trigger_type', /one of/],
  [routine('mail.send', '{}'), 'not_in_enumeration', 'routine_type', /one of/],
  [trigger('checkin.created', '{'), 'invalid_format', 'trigger_configuration', /JSON/],
  [trigger('checkin.created', ''), 'not_empty', 'trigger_configuration', /required/],
  [trigger('checkin.created', '[]'), 'invalid_type', 'trigger_configuration', /^trigger_configuration: /],
  [trigger('checkin.created', 'null'), 'not_empty', 'trigger_configuration', /^trigger_configuration: /],
  [trigger('checkin.created', '{"to":[1]}'), 'unknown_field', 'trigger_configuration', /configuration\.to: /],
  [trigger('checkin.created', '{"type":[]}'), 'not_empty', 'trigger_configuration', /configuration\.type: /],
  [trigger('checkin.created', '{"type":[5]}'), 'not_in_enumeration', 'trigger_configuration', /type\.0: /],
  [trigger('assignment.status_changed', '{"to":6}'), 'invalid_type', 'trigger_configuration', /\.to: /],
  [trigger('assignment.status_changed', '{"to":["6"]}'), 'invalid_type', 'trigger_configuration', /to\.0: /],
  [trigger('assignment.status_changed', '{"to":[9]}'), 'not_in_enumeration', 'trigger_configuration', /to\.0: /],
  [trigger('event.starts_in', '{"minutes":-1}'), 'out_of_range', 'trigger_configuration', /minutes: /],
  [trigger('event.starts_in', '{"minutes":1.5}'), 'invalid_type', 'trigger_configuration', /minutes: /],
  [trigger('function.understaffed', '{"minutes":525601}'), 'out_of_range', 'trigger_configuration', /minutes: /],
  [trigger('event.starts_in', '{"minutes":1e-400}'), 'out_of_range', 'trigger_configuration', /minutes: /],
  [
    trigger('event.starts_in', '{"minutes":1.00000000000000000001}'),
    'out_of_range',
    'trigger_configuration',
    /minutes: /,
  ],
  [
    routine('assignment.set_status', '{"status":7.00000000000000000001}'),
    'not_in_enumeration',
    'routine_configuration',
    /\.status: /,
  ],
  [trigger('function.understaffed', '{"minutes":null}'), 'not_empty', 'trigger_configuration', /minutes: /],
  [routine('assignment.set_status', '{}'), 'not_empty', 'routine_configuration', /\.status: /],
  [routine('assignment.set_status', '{"status":0}'), 'not_in_enumeration', 'routine_configuration', /\.status: /],
  [routine('function.lock', '{"until":1}'), 'unknown_field', 'routine_configuration', /\.until: /],
  [webhook({}), 'not_empty', 'routine_configuration', /\.url: /],
  [url(1), 'invalid_type', 'routine_configuration', /\.url: /],
  [url('ftp://a.example/'), 'invalid_format', 'routine_configuration', /\.url: /],
  [url('file:///etc/passwd'), 'invalid_format', 'routine_configuration', /\.url: /],
  [url('gopher://a.example'), 'invalid_format', 'routine_configuration', /\.url: /],
  [url('https://user:pass@a.example/'), 'invalid_format', 'routine_configuration', /\.url: /],
  [url('https://a.example/#part'), 'invalid_format', 'routine_configuration', /\.url: /],
  [url('https://a.example:99999/'), 'invalid_format', 'routine_configuration', /\.url: /],
  [url('https://[::g]/'), 'invalid_format', 'routine_configuration', /\.url: /],
  [url(`https://a.example/${'x'.repeat(2000)}`), 'too_long', 'routine_configuration', /\.url: /],
  [header({ 'X-A': 1 }), 'invalid_type', 'routine_configuration', /headers\.X-A: /],
  [header({ 'X-A': 'a\r\nb: c' }), 'invalid_format', 'routine_configuration', /headers\.X-A: /],
  [header({ 'Webhook-Id': 'x' }), 'invalid_format', 'routine_configuration', /headers\.Webhook-Id: /],
  [header({ 'a b': 'x' }), 'invalid_format', 'routine_configuration', /headers\.a b: /],
  [
    { ...routine('assignment.set_status', '{"status":7}'), trigger_type: 'event.starts_in' },
    'not_in_enumeration',
    'routine_type',
    /requires the trigger assignment\.status_changed or checkin\.created, not event\.starts_in/,
  ],
  [
    { ...routine('assignment.set_status', '{"status":7}'), trigger_type: 'function.understaffed' },
    'not_in_enumeration',
    'routine_type',
    /not function\.understaffed/,
  ],
];

describe('an automation', () => {
  const { client } = useApp(anyDatabase);

  for (const body of good)
    test(`is made of ${JSON.stringify(Object.values(body))}`, async () => {
      const response = await client.call('POST', '/automations', { body });
      assert.equal(response.status, 201, response.text);
    });

  for (const [body, code, field, says] of bad)
    test(`is not made of ${JSON.stringify(Object.values(body)).slice(0, 120)}: ${code}`, async () => {
      const response = await client.call('POST', '/automations', { body });
      assert.equal(response.status, 422, response.text);
      const told = response.body.errors.map((error: { code: string; field: string }) => [error.code, error.field]);
      assert.deepEqual(told, [[code, field]], response.text);
      assert.match(response.body.errors[0].message, says);
    });

  test('is checked as a whole when a part of it changes', async () => {
    const { body } = await client.call('POST', '/automations', { body: { ...changed, ...hook } });
    const put = (changes: object) => client.call('PUT', `/automations/${body.id}`, { body: changes });
    const response = await put({ trigger_type: 'event.starts_in', trigger_configuration: '{"to":[1]}' });
    assert.equal(response.status, 422);
    assert.equal((await put({ trigger_type: 'event.starts_in', routine_type: 'assignment.set_status' })).status, 422);
    const good = await put({ trigger_type: 'event.starts_in', trigger_configuration: '{"minutes":5}' });
    assert.equal(good.body.trigger_configuration, '{"minutes":5}', good.text);
  });

  test('is tried out with dry_run: the same response, nothing stored', async () => {
    const count = async () => (await client.call('GET', '/automations')).body.length;
    const before = await count();
    const body = { ...changed, ...hook };
    assert.equal((await client.call('POST', '/automations?dry_run=true', { body })).status, 201);
    assert.equal(
      (await client.call('POST', '/automations?dry_run=true', { body: { ...body, routine_type: 'x' } })).status,
      422,
    );
    assert.equal(await count(), before);
    const { id } = (await client.call('POST', '/automations', { body })).body;
    assert.equal((await client.call('DELETE', `/automations/${id}?dry_run=true`)).status, 204);
    const tried = await client.call('PUT', `/automations/${id}?dry_run=true`, {
      body: { trigger_configuration: '{"to":[1]}' },
    });
    assert.equal(tried.body.trigger_configuration, '{"to":[1]}');
    assert.equal((await client.call('GET', `/automations/${id}`)).body.trigger_configuration, '{}');
  });
});
