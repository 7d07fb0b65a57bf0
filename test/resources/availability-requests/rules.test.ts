import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorsOf } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

forAnyApp(client => {
  const scene = new Scene(client);
  const create = async (body: Record<string, unknown>) => {
    const id = await scene.create('availability-requests', { from: '2036-07-01', to: '2036-07-31', ...body });
    return (body: object) => client.call('PUT', `/availability-requests/${id}`, { body });
  };

  test('a request can be renamed, blocked, opened again and marked as completed by enforcement', async () => {
    const put = await create({ name: 'July', blocked_at: null });
    const changes = { name: 'July 2036', blocked_at: '2036-06-20', completed_by_enforcement: 1 };
    const { body, text } = await put(changes);
    assert.deepEqual({ ...body, ...changes }, body, text);
    assert.equal((await put({ blocked_at: null })).body.blocked_at, null);
    const others = { from: '2036-07-02', employee_id: await scene.create('employees'), completed_at: '2036-06-01' };
    assert.deepEqual(
      errorsOf(await put(others)).toSorted(),
      Object.keys(others)
        .map(name => ['read_only', name])
        .toSorted(),
    );
  });

  test('its last day can only move to a later one, or be taken away', async () => {
    const put = await create({});
    assert.equal((await put({ to: '2036-08-15' })).body.to, '2036-08-15');
    assert.deepEqual(errorsOf(await put({ to: '2036-08-14' })), [['out_of_range', 'to']]);
    assert.equal((await put({ to: null })).body.to, null);
    assert.deepEqual(errorsOf(await put({ to: '2036-12-31' })), [['out_of_range', 'to']]);
  });

  test('a new request is not completed by enforcement', async () => {
    const body = await scene.bodyOf('availability-requests', { completed_by_enforcement: 1 });
    const response = await client.call('POST', '/availability-requests', { body });
    assert.deepEqual(errorsOf(response), [['read_only', 'completed_by_enforcement']]);
  });
});
