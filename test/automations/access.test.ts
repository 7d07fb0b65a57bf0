import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { followJournal } from '../../src/automations/follow.ts';
import { scanTenant } from '../../src/automations/scan.ts';
import type { Access } from '../../src/core/resource/access.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { changeApiUser } from '../../src/domain/provision/change-api-user.ts';
import { updateTenant } from '../../src/domain/provision/update-tenant.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf, webhook } from './scene.ts';
import { Workshop } from './work.ts';

const minute = 60_000;
const day = 1440 * minute;

interface User extends Client {
  readonly id: number;
}

forAnyApp((_, app) => {
  let client: Client;
  let scene: Staffing;
  let workshop: Workshop;
  let count = 0;

  beforeEach(async () => {
    client = await app.newClient();
    scene = new Staffing(client);
    workshop = new Workshop(client.database, client.tenant);
  });

  const userWith = async (access: Partial<Access & { readOnly: boolean }>): Promise<User> => {
    const wanted = { name: `user ${++count}`, readOnly: false, ...access };
    const { id } = await createApiUser(client.database, client.tenant, wanted);
    const token = await app.tokenOf(client.tenant, id);
    const user = { ...client, token, id };
    return { ...user, call: (...asked) => app.callAs(user, ...asked) };
  };
  const userOf = (...scopes: string[]) => userWith({ scopes: ['automations:read', 'automations:write', ...scopes] });
  const change = (user: User, changes: Parameters<typeof changeApiUser>[3]) =>
    changeApiUser(client.database, client.tenant, user.id, changes);
  const body = (trigger: string, routine: string, configuration: object = {}) => ({
    trigger_type: trigger,
    trigger_configuration: JSON.stringify(configuration),
    routine_type: routine,
    routine_configuration: JSON.stringify(
      { 'webhook.post': webhook[1], 'assignment.set_status': { status: 7 }, 'function.lock': {} }[routine],
    ),
  });
  const shift = (start = Date.now() + 30 * day) =>
    scene.shift(new Date(start).toISOString(), new Date(start + 60 * minute).toISOString(), { quantity: 100 });
  const assign = async (status = 1) => scene.assignment(await scene.employee(), await shift(), status);
  const db = (): TenantDb => client.database.forTenant(client.tenant);
  const follow = () => followJournal(db(), createTenantFields(resources));
  const outcomes = async (automation: number) =>
    (await deliveriesOf(client, automation)).map(({ status, attempt, error, next_attempt_at }) => [
      status,
      attempt,
      error,
      next_attempt_at,
    ]);
  const failed = [3, 1, 'scope_missing', null];

  describe('an automation can be written', () => {
    const cases: readonly [
      trigger: string,
      routine: string,
      scopes: readonly string[],
      status: number,
      code?: string,
    ][] = [
      ['assignment.status_changed', 'webhook.post', [], 403, 'scope_missing'],
      ['assignment.status_changed', 'webhook.post', ['assignments:read'], 201],
      ['assignment.status_changed', 'assignment.set_status', ['assignments:read'], 405, 'read_only_user'],
      ['assignment.status_changed', 'assignment.set_status', ['assignments:read', 'assignments:write'], 201],
      ['checkin.created', 'webhook.post', ['assignments:read'], 403, 'scope_missing'],
      ['checkin.created', 'assignment.set_status', ['checkins:read'], 403, 'scope_missing'],
      ['checkin.created', 'assignment.set_status', ['checkins:read', '*:write'], 201],
      ['event.starts_in', 'webhook.post', ['event-functions:read'], 403, 'scope_missing'],
      ['event.starts_in', 'function.lock', ['events:read', 'event-functions:read'], 405, 'read_only_user'],
      ['event.starts_in', 'function.lock', ['events:read', 'event-functions:write'], 201],
      ['function.understaffed', 'webhook.post', ['events:read'], 403, 'scope_missing'],
      ['function.understaffed', 'function.lock', ['event-functions:read', 'event-functions:write'], 201],
    ];
    for (const [trigger, routine, scopes, status, code] of cases)
      it(`${status === 201 ? '' : 'not '}with ${scopes.join(', ') || 'no other scope'}: ${trigger}, ${routine}`, async () => {
        const user = await userOf(...scopes);
        const response = await user.call('POST', '/automations', { body: body(trigger, routine) });
        assert.deepEqual([response.status, response.body.code], [status, code]);
        const own = await automate(client, ['event.starts_in', { minutes: 77 }]);
        const changed = await user.call('PUT', `/automations/${own}`, { body: body(trigger, routine) });
        assert.deepEqual([changed.status, changed.body.code], [status === 201 ? 200 : status, code]);
        if (status === 405) assert.equal(response.headers.allow, 'GET, HEAD');
      });

    it('with the scopes of the resources that record.changed names, and with none if it names none', async () => {
      const user = await userOf('clients:read');
      const status = async (configuration: object) =>
        (await user.call('POST', '/automations', { body: body('record.changed', 'webhook.post', configuration) }))
          .status;
      assert.deepEqual(
        await Promise.all([
          status({}),
          status({ resource: ['clients'] }),
          status({ resource: ['clients', 'employees'] }),
          status({ resource: ['clients', 'nonsense'] }),
        ]),
        [201, 201, 403, 422],
      );
    });

    it('not without the module of what it sends', async () => {
      const own = await app.newClient({ modules: new Set(['automations']) });
      const response = await own.call('POST', '/automations', { body: body('checkin.created', 'webhook.post') });
      assert.deepEqual([response.status, response.body.code], [403, 'module_disabled']);
    });

    it('by another API user, whom it then acts for', async () => {
      const [first, second] = [await userOf('*:read'), await userOf('assignments:read')];
      const id = await automate(first, ['assignment.status_changed', {}]);
      const own = { trigger_configuration: '{"to":[6]}' };
      assert.equal((await second.call('PUT', `/automations/${id}`, { body: own })).status, 200);
      await change(first, { active: false });
      await assign(6);
      await workshop.run();
      assert.equal(workshop.sent.length, 1);
      await change(second, { scopes: ['clients:read'] });
      await assign(6);
      await workshop.run();
      assert.deepEqual((await outcomes(id)).at(-1), failed);
    });
  });

  describe('a run without the scopes that it needs', () => {
    it('is a final attempt, which sends and changes nothing', async () => {
      const user = await userOf('*:read', '*:write');
      const sending = await automate(user, ['assignment.status_changed', {}]);
      const changing = await automate(
        user,
        ['assignment.status_changed', { to: [6] }],
        ['assignment.set_status', { status: 7 }],
      );
      const id = await assign(6);
      await change(user, { scopes: ['automations:read', 'assignments:write'] });
      await workshop.run({ early: true });
      assert.deepEqual([await outcomes(sending), await outcomes(changing)], [[failed], [failed]]);
      await change(user, { scopes: ['assignments:read'] });
      const other = await assign(6);
      await workshop.run({ early: true });
      assert.equal((await outcomes(sending)).at(-1)?.[0], 2);
      assert.deepEqual((await outcomes(changing)).at(-1), failed);
      assert.deepEqual([await scene.statusOf(id), await scene.statusOf(other)], [6, 6]);
      assert.equal(workshop.sent.length, 1);
    });

    it('is one also for a change of a resource that the configuration names; others are left out', async () => {
      const user = await userOf('*:read');
      const naming = await automate(user, ['record.changed', { resource: ['clients', 'projects'] }]);
      const open = await automate(user, ['record.changed', {}]);
      await change(user, { scopes: ['projects:read'] });
      await client.call('POST', '/clients', { body: { company: 'Alba' } });
      await follow();
      await workshop.run({ early: true });
      assert.deepEqual([await outcomes(naming), await outcomes(open)], [[failed], []]);
      assert.deepEqual(workshop.sent, []);
    });

    it('is one of a sample and of a replay', async () => {
      const user = await userOf('assignments:read');
      const id = await automate(user, ['assignment.status_changed', { to: [6] }]);
      await assign(6);
      await workshop.run();
      const [delivery] = await deliveriesOf(client, id);
      await change(user, { scopes: ['clients:read'] });
      assert.equal((await client.call('POST', `/automations/${id}/test`)).status, 201);
      const replay = `/automations/${id}/deliveries/${delivery?.id}/replay`;
      assert.equal((await client.call('POST', replay)).status, 201);
      await workshop.run({ early: true });
      assert.deepEqual((await outcomes(id)).slice(1), [failed, failed]);
      assert.equal(workshop.sent.length, 1);
    });

    it('is none of an automation without an API user, which acts for the administration', async () => {
      const id = await automate(client, ['assignment.status_changed', { to: [6] }]);
      await db().transaction(({ kysely }) =>
        kysely.updateTable('automations').set({ api_user_id: null }).where('id', '=', id).execute(),
      );
      await assign(6);
      await workshop.run();
      assert.equal(workshop.sent.length, 1);
    });

    it('is module_disabled if the tenant has lost the module of what is sent', async () => {
      const id = await automate(client, ['checkin.created', {}]);
      const assignment_id = await assign(6);
      const timestamp = new Date(Date.now() + 30 * day).toISOString();
      const checkin = { assignment_id, type: 1, source: 2, timestamp };
      assert.equal((await client.call('POST', '/checkins', { body: checkin })).status, 201);
      await updateTenant(client.database, client.tenant, { modules: ['automations'] }, 'test');
      await workshop.run({ early: true });
      assert.deepEqual(await outcomes(id), [[3, 1, 'module_disabled', null]]);
      assert.deepEqual(workshop.sent, []);
    });
  });

  describe('while its API user is disabled', () => {
    const pairs: readonly [trigger: string, configuration: object, happen: () => Promise<unknown>][] = [
      ['assignment.status_changed', { to: [6] }, () => assign(6)],
      [
        'record.changed',
        { resource: ['clients'] },
        () => client.call('POST', '/clients', { body: { company: 'Alba' } }),
      ],
      ['event.starts_in', { minutes: 60 }, () => shift(Date.now() + 30 * minute)],
      ['function.understaffed', {}, () => shift()],
    ];
    const work = async () => {
      await follow();
      await scanTenant(db(), new Date());
      await workshop.run({ early: true });
    };
    for (const [trigger, configuration, happen] of pairs)
      it(`nothing triggers an automation, nor later what happened then, but what happens later does: ${trigger}`, async () => {
        const user = await userOf('*:read');
        const id = await automate(user, [trigger, configuration]);
        await change(user, { active: false });
        await happen();
        await work();
        await happen();
        await change(user, { active: true });
        await work();
        assert.deepEqual([await outcomes(id), workshop.sent.length], [[], 0]);
        await happen();
        await work();
        assert.deepEqual([(await outcomes(id)).length, workshop.sent.length], [1, 1]);
      });

    it('a delivery from before fails', async () => {
      const user = await userOf('*:read');
      const id = await automate(user, ['assignment.status_changed', { to: [6] }]);
      await assign(6);
      await change(user, { active: false });
      await workshop.run({ early: true });
      assert.deepEqual([await outcomes(id), workshop.sent], [[failed], []]);
    });

    it('another API user can take the automation over: what happened is passed over', async () => {
      const user = await userOf('*:read');
      const id = await automate(user, ['function.understaffed', {}]);
      await change(user, { active: false });
      await shift();
      assert.equal(
        (await client.call('PUT', `/automations/${id}`, { body: { trigger_configuration: '{"minutes":525600}' } }))
          .status,
        200,
      );
      await work();
      assert.deepEqual(await outcomes(id), []);
      await shift();
      await work();
      assert.equal((await outcomes(id)).length, 1);
    });

    it('enabling one that is enabled passes over nothing', async () => {
      const user = await userOf('*:read');
      const id = await automate(user, ['function.understaffed', {}]);
      await shift();
      await change(user, { active: true });
      await work();
      assert.equal((await outcomes(id)).length, 1);
    });
  });

  describe('while the tenant lacks the module of automations', () => {
    it('nothing triggers them, nor later what happened then', async () => {
      const [changes, places] = [
        await automate(client, ['record.changed', { resource: ['clients'] }]),
        await automate(client, ['function.understaffed', {}]),
      ];
      const modules = [...client.tenant.modules];
      const set = (wanted: typeof modules) => updateTenant(client.database, client.tenant, { modules: wanted }, 'test');
      const happen = async () => {
        await client.call('POST', '/clients', { body: { company: 'Alba' } });
        await shift();
      };
      await set(modules.filter(module => module !== 'automations'));
      await happen();
      await set(modules);
      await follow();
      await scanTenant(db(), new Date());
      await happen();
      await follow();
      await scanTenant(db(), new Date());
      // One of whom nobody remembers what the tenant lacked a moment ago.
      const reader = await userOf('*:read');
      const lengths = [changes, places].map(async id => (await deliveriesOf(reader, id)).length);
      assert.deepEqual(await Promise.all(lengths), [1, 1]);
    });
  });
});
