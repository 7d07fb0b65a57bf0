import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runSuite } from '../../scripts/contract/suite.ts';
import { updateTenant } from '../../src/domain/provision/update-tenant.ts';
import { addAttribute } from '../attributes/scene.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { ask, type Balanced, type Installation, openInstallation, type Reply } from '../support/installation.ts';
import { operations } from '../support/operations.ts';
import { startTenantProxy } from '../support/proxies/tenant.ts';
import { newRestricted, restrictions } from '../support/restrictions.ts';
import { Scene } from '../support/scene.ts';

/** The operations whose contract is tested: with SCALE=whole all, otherwise those of clients. */
const only = process.env.SCALE === 'whole' ? '' : '/clients';
/** Milliseconds within which every process responds by what has changed. */
const promised = 1_000;
const count = 3;

type Asked = readonly [method: string, path: string, body?: object];

/** A change of what processes remember of a tenant, and requests whose responses show it. */
interface Change {
  readonly user: Pick<Client, 'tenant' | 'token'>;
  readonly requests: readonly Asked[];
  /** Makes the change. */
  readonly make: () => Promise<unknown>;
}

/** Prepares a change, in a tenant of its own. */
type Preparation = (installation: Installation) => Promise<Change>;

const company = { company: 'C' };
const employee = { firstname: 'A', lastname: 'B', status: 4 };

/** What an administrator takes away. */
const takenAway = restrictions
  .filter(({ name }) => name !== 'the token expired')
  .map(({ name, set }): [string, Preparation] => [
    name,
    async ({ app }) => {
      const user = await newRestricted(app, { now: 0 });
      await user.other.call('POST', '/employees', { body: employee });
      const write: Asked = ['POST', '/employees?dry_run=true', employee];
      return { user, requests: [['GET', '/employees'], write, ['GET', '/checkins']], make: () => set(user) };
    },
  ]);

const preparations: readonly (readonly [name: string, Preparation])[] = [
  ...takenAway,
  [
    'a module was switched on',
    async ({ app }) => {
      const user = await app.newClient({ modules: new Set() });
      const make = () => updateTenant(app.database, user.tenant, { modules: ['checkins'] }, 'test');
      return { user, requests: [['GET', '/checkins']], make };
    },
  ],
  [
    'a field was added',
    async ({ app }) => {
      const user = await app.newClient();
      await user.call('POST', '/clients', { body: company });
      const requests: Asked[] = [
        ['GET', '/clients'],
        ['POST', '/clients?dry_run=true', company],
      ];
      return { user, requests, make: () => addAttribute(user, 'text') };
    },
  ],
  [
    'a rule was added',
    async ({ app }) => {
      const user = await app.newClient();
      for (const { id } of (await user.call('GET', '/work-rules')).body) await user.call('DELETE', `/work-rules/${id}`);
      const staffing = new Staffing(user);
      const employee_id = await staffing.employee();
      await staffing.assignment(employee_id, await staffing.shift('2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'), 6);
      const event_function_id = await staffing.shift('2036-06-13T08:00:00Z', '2036-06-13T12:00:00Z');
      const rule = { name: 'Rest', kind: 'rest', mode: 'refuse', parameters: { minutes: 660 } };
      return {
        user,
        requests: [['POST', '/assignments?dry_run=true', { employee_id, event_function_id, status: 6 }]],
        make: () => staffing.create('work-rules', rule),
      };
    },
  ],
];

/** What a response shows of the caller, of fields and of rules. */
const shownBy = ({ status, body }: Pick<Reply, 'status' | 'body'>) => {
  const record = Array.isArray(body) ? body[0] : body;
  return { status, code: record?.code ?? null, fields: Object.keys(record ?? {}).sort() };
};

describe('three instances behind a proxy, each connection to the next', () => {
  let installation: Installation;
  let balanced: Balanced;

  before(async () => {
    installation = await openInstallation({ RATE_LIMIT: '1000000', AUTOMATIONS: 'false' });
    balanced = await installation.startBalanced(count);
  });
  after(() => installation.close());

  it(`keep the contract (${only || 'all operations'})`, async () => {
    const client = await installation.app.newClient();
    const scene = new Scene(client);
    for (const resource of ['events', 'contacts']) await scene.idOf(resource);
    const forward = (headers: object) => ({ ...headers, connection: 'close' });
    const proxy = await startTenantProxy(balanced.port, client.tenant.slug, { forward });
    const problems: string[] = [];
    const tested = new Set<string>();
    const options = { url: proxy.url, token: client.token, write: true, ca: undefined, only, seed: 1 };
    await runSuite(options, ({ operation, problems: found, skipped }) => {
      if (skipped === null) tested.add(operation.operationId);
      problems.push(...found.map(problem => `${operation.operationId}: ${problem}`));
    }).finally(proxy.close);
    assert.deepEqual(problems, []);
    for (const { operationId } of operations.filter(({ path }) => path.startsWith('/clients')))
      assert.ok(tested.has(operationId), operationId);
    for (const { log } of balanced.instances) assert.ok(log().some(({ operation }) => operation === 'clients_list'));
  });

  describe('respond, a second after a change, by it:', () => {
    const shown = new Map<string, { readonly earlier: unknown[]; readonly later: unknown[] }>();

    /** What each instance responds to the requests of a change. */
    const askEach = ({ user, requests }: Change): Promise<unknown[]> =>
      Promise.all(
        balanced.instances.map(async ({ port }) => {
          const all = [];
          for (const [method, path, body] of requests) all.push(shownBy(await ask(port, user, method, path, body)));
          return all;
        }),
      );

    before(async () => {
      const changes = new Map<string, Change>();
      for (const [name, prepare] of preparations) changes.set(name, await prepare(installation));
      const ofEach = async () => {
        const found = new Map<string, unknown[]>();
        for (const [name, change] of changes) found.set(name, await askEach(change));
        return found;
      };
      await ofEach();
      const earlier = await ofEach();
      for (const { make } of changes.values()) await make();
      // What they look up meanwhile they remember again, from before or after a change.
      for (const end = performance.now() + promised; performance.now() < end; ) await ofEach();
      const later = await ofEach();
      for (const name of changes.keys())
        shown.set(name, { earlier: earlier.get(name) ?? [], later: later.get(name) ?? [] });
    });

    for (const [name] of preparations)
      it(name, () => {
        const { earlier = [], later = [] } = shown.get(name) ?? {};
        for (const replies of [earlier, later]) assert.deepEqual(replies, Array(count).fill(replies[0]));
        assert.notDeepEqual(later[0], earlier[0]);
      });
  });

  it('show what another has committed: to who reads it again, and to who waits for it', async () => {
    const user = await installation.app.newClient();
    const made = await ask(balanced.port, user, 'POST', '/clients', company);
    const path = `/clients/${made.body.id}`;
    const { body: now } = await ask(balanced.port, user, 'GET', '/changes?after=now');
    for (let turn = 0; turn < 4 * count; turn++) {
      const waiting = balanced.instances.map(({ port }) =>
        ask(port, user, 'GET', `/changes?after=${now.next}&wait=30`),
      );
      for (const { port } of balanced.instances)
        for (let again = 0; again < 2; again++) await ask(port, user, 'GET', path);
      assert.equal((await ask(balanced.port, user, 'PUT', path, { company: `Turn ${turn}` })).status, 200);
      for (const { port } of balanced.instances)
        assert.equal((await ask(port, user, 'GET', path)).body.company, `Turn ${turn}`);
      for (const { body } of await Promise.all(waiting)) {
        assert.equal(body.changes.length, 1);
        now.next = body.next;
      }
    }
  });
});
