import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/server/config/config.ts';
import { prepareDemo } from '../../src/server/prepare.ts';
import { requireTenant } from '../../src/tenancy/directory.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { startApp } from '../support/app.ts';
import { openEmbedded } from '../support/database.ts';

it('the demo tenant of the first start has automations that succeed', async () => {
  const database = await openEmbedded();
  const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
  const tokens = createTokens({ database, keys, issuer: 'staffing' });
  const app = await startApp(database, { keys });
  const { signal } = new AbortController();
  const demo = await prepareDemo(database, tokens, app.files, readConfig({ BASE_DOMAIN: 'test' }), signal);
  const tenant = await requireTenant(database, 'demo');
  assert.ok(demo);
  const call = (method: string, path: string, body?: object) =>
    app.callAs({ tenant, token: demo.token }, method, path, body && { body });
  /** Returns the deliveries of all automations; the first are invented, failures among them. */
  const deliveries = async (): Promise<
    readonly { readonly automation: number; readonly id: number; readonly error: string | null }[]
  > => {
    const automations = (await call('GET', '/automations')).body as { id: number }[];
    const lists = await Promise.all(
      automations.map(async ({ id: automation }) =>
        (await call('GET', `/automations/${automation}/deliveries`)).body.map(
          ({ id, error }: { id: number; error: string | null }) => ({ automation, id, error }),
        ),
      ),
    );
    return lists.flat();
  };
  const invented = new Set((await deliveries()).map(({ id }) => id));
  const [client] = (await call('GET', '/clients?limit=1')).body;
  assert.equal((await call('PUT', `/clients/${client.id}`, { company: 'Wren' })).status, 200);
  const now = new Date(Date.now() + 7 * 86_400_000).toISOString();
  assert.equal((await call('PUT', '/sandbox/clock', { now })).status, 200);
  const made = (await deliveries()).filter(({ id }) => !invented.has(id));
  assert.deepEqual(
    made.filter(({ error }) => error !== null),
    [],
  );
  assert.ok(new Set(made.map(({ automation }) => automation)).size >= 3, JSON.stringify(made));
  await app.close();
  await database.close();
});
