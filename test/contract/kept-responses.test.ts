import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { updateApiUser } from '../../src/tenancy/api-users.ts';
import type { ApiResponse } from '../support/app.ts';
import { forAnyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { newRestricted, type Restricted } from '../support/restrictions.ts';
import { Scene } from '../support/scene.ts';

forAnyDatabase((_, getDatabase) => {
  const clock = { now: Date.now() };
  const { app } = useApp(getDatabase, { clock: () => clock.now });

  /** Changes the API user as the administration does. */
  const ofUser = ({ database, tenant, userId, pass }: Restricted, changes: Parameters<typeof updateApiUser>[3]) => {
    pass(1_000);
    return updateApiUser(database, tenant, userId, changes);
  };
  const withModules = ({ database, tenant, pass }: Restricted, modules: readonly string[]) => {
    pass(1_000);
    const changed = { modules: JSON.stringify(modules) };
    return database.system.updateTable('tenants').set(changed).where('id', '=', tenant.id).execute();
  };

  /** Makes the same employee each time. */
  const send = (user: Restricted) =>
    app.callAs(user, 'POST', '/employees', {
      headers: { 'Idempotency-Key': 'once' },
      body: { firstname: 'Ada', lastname: 'Kept', email: 'ada@kept.example' },
    });
  const assertNotKept = (first: ApiResponse, again: ApiResponse, reason: RegExp) => {
    assert.deepEqual([again.status, again.body.code], [409, 'response_not_kept'], again.text);
    assert.match(again.body.message, /carried out with status 201/);
    assert.match(again.body.message, reason);
    assert.equal(again.headers.location, first.headers.location);
    assert.doesNotMatch(again.text, /kept\.example/);
  };
  const countOf = async ({ other }: Restricted) => (await other.call('GET', '/employees?lastname=Kept')).body.length;

  const changes: readonly [name: string, set: (user: Restricted) => unknown, undo: (user: Restricted) => unknown][] = [
    ['a category was hidden', user => ofUser(user, { hidden: ['contact'] }), user => ofUser(user, { hidden: [] })],
    [
      'scopes were given',
      user => ofUser(user, { scopes: ['employees:read', 'employees:write'] }),
      user => ofUser(user, { scopes: [] }),
    ],
    ['a module was switched off', user => withModules(user, []), user => withModules(user, [...user.tenant.modules])],
  ];

  describe('a response kept for an Idempotency-Key', () => {
    for (const [name, set, undo] of changes)
      it(`is not shown after ${name}, and is again after that was undone`, async () => {
        const user = await newRestricted(app, clock);
        const first = await send(user);
        assert.equal(first.status, 201, first.text);
        await set(user);
        assertNotKept(first, await send(user), /API user may see and do has changed/);
        await undo(user);
        const again = await send(user);
        assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true']);
        assert.equal(await countOf(user), 1);
      });

    it('is not shown to a user with hidden categories after an attribute got another one', async () => {
      const user = await newRestricted(app, clock);
      const { other } = user;
      const form = (await other.call('GET', '/forms?entity=employees')).body[0].id;
      const attribute = { name: 'Nickname', type: 'text', order: 1 };
      const { body } = await other.call('POST', `/forms/${form}/attributes`, { body: attribute });
      const path = `/forms/${form}/attributes/${body.id}`;
      const categorise = async (category: string | null) => {
        const { status, text } = await other.call('PUT', path, { body: { category } });
        assert.equal(status, 200, text);
      };
      const free = await send(user);
      await categorise('health');
      assert.equal((await send(user)).text, free.text, 'nothing is hidden from the user');

      const masked = await newRestricted(app, clock, other);
      await ofUser(masked, { hidden: ['pay'] });
      const first = await send(masked);
      assert.equal(first.status, 201, first.text);
      assert.equal((await send(masked)).text, first.text);
      await categorise('pay');
      assertNotKept(first, await send(masked), /may see/);
      await categorise('health');
      assert.equal((await send(masked)).text, first.text);
    });

    it('is not shown to a user with hidden categories after a question in it got another one', async () => {
      const user = await newRestricted(app, clock);
      await ofUser(user, { hidden: ['pay'] });
      const staffing = new Scene(user.other);
      const entity_id = await staffing.create('forms', { entity: 'assignment-employment-reports' });
      const question = await staffing.create('attributes', { entity_id, type: 'text', collection_id: null });
      const data = [{ attribute_id: question, value: 'ada@kept.example' }];
      const body = await staffing.bodyOf('assignment-employment-reports', { data });
      const make = () =>
        app.callAs(user, 'POST', '/assignment-employment-reports', { headers: { 'Idempotency-Key': 'report' }, body });
      const first = await make();
      assert.equal(first.status, 201, first.text);
      assert.equal((await make()).text, first.text);
      await user.other.call('PUT', `/attributes/${question}`, { body: { category: 'pay' } });
      assertNotKept(first, await make(), /may see/);
    });

    it('is not shown after a person in it was forgotten', async () => {
      const user = await newRestricted(app, clock);
      const first = await send(user);
      await user.other.call('DELETE', `/employees/${first.body.id}?anonymize=true`);
      assertNotKept(first, await send(user), /forgotten/);
    });

    it('by a release that did not keep the view is shown to users without restrictions only', async () => {
      const user = await newRestricted(app, clock);
      const first = await send(user);
      await user.database.asOwner(user.tenant.id, ({ kysely }) =>
        kysely.updateTable('idempotency_keys').set({ view: null }).execute(),
      );
      assert.equal((await send(user)).text, first.text);
      await ofUser(user, { hidden: ['pay'] });
      assertNotKept(first, await send(user), /may see/);
    });
  });
});
