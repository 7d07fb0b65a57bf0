import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

forAnyApp(client => {
  it('DELETE /employees/{id}?anonymize=true clears the remarks in the history of deleted assignments, and of no one else', async () => {
    const scene = new Scene(client);
    const functionId = await scene.create('event-functions', { quantity: 5 });
    const deleted = async () => {
      const employee_id = await scene.create('employees');
      const made = await client.call('POST', '/assignments', {
        body: { employee_id, event_function_id: functionId, status: 5 },
      });
      assert.equal(made.status, 201, made.text);
      const path = `/assignments/${made.body.id}`;
      const moved = await client.call('PUT', `${path}/status`, { body: { status: 8, remarks: 'Has the flu' } });
      assert.equal(moved.status, 200, moved.text);
      assert.equal((await client.call('DELETE', path)).status, 204);
      return { employee_id, path };
    };
    const [person, other] = [await deleted(), await deleted()];
    const historyOf = async (path: string): Promise<Record<string, unknown>[]> =>
      (await client.call('GET', `${path}/history`)).body;
    const before = await historyOf(person.path);
    assert.deepEqual(
      before.map(({ action, employee_id }) => [action, employee_id]),
      ['created', 'status', 'deleted'].map(action => [action, person.employee_id]),
    );
    assert.match(JSON.stringify(before), /Has the flu/);
    const response = await client.call('DELETE', `/employees/${person.employee_id}?anonymize=true`);
    assert.equal(response.status, 204, response.text);
    const after = await historyOf(person.path);
    assert.doesNotMatch(JSON.stringify(after), /Has the flu/);
    assert.deepEqual(
      after.map(({ data: _, ...entry }) => entry),
      before.map(({ data: _, ...entry }) => entry),
    );
    assert.match(JSON.stringify(await historyOf(other.path)), /Has the flu/);
  });
});
