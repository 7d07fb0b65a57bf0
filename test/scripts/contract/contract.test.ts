import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { runContract } from '../../../scripts/contract/main.ts';
import { anyDatabase } from '../../support/database.ts';
import { useApp } from '../../support/for-each-app.ts';
import { operations } from '../../support/operations.ts';
import { type Interference, type Passing, startTenantProxy, type TenantProxy } from '../../support/proxies/tenant.ts';
import { Scene } from '../../support/scene.ts';

const main = new URL('../../../scripts/contract/main.ts', import.meta.url).pathname;
/** The operations that the runs are limited to. */
const only = '/clients';
const tested = operations.filter(({ path }) => path.startsWith(only));

const json = (response: Passing, change: (body: never) => unknown): Passing => ({
  ...response,
  bytes: Buffer.from(JSON.stringify(change(JSON.parse(response.bytes.toString()) as never))),
});

/** Faults of a server, each in one operation. */
const faults: readonly { readonly name: string; readonly operation: string; readonly fault: Interference['alter'] }[] =
  [
    {
      name: 'drops a field of a record',
      operation: 'clients_read',
      fault: ({ method, url = '' }, response) =>
        method === 'GET' && /\/clients\/\d+$/.test(url) && response.status === 200
          ? json(response, ({ city: _, ...record }: { city: string }) => record)
          : response,
    },
    {
      name: 'returns a string for a number',
      operation: 'clients_list',
      fault: ({ method, url = '' }, response) =>
        method === 'GET' && /\/clients\?limit=5$/.test(url) && response.status === 200
          ? json(response, (records: { id: number }[]) => records.map(record => ({ ...record, id: String(record.id) })))
          : response,
    },
    {
      name: 'ignores a filter',
      operation: 'clients_list',
      fault: ({ url = '' }, response) =>
        url.includes('not-a-number') ? { ...response, status: 200, bytes: Buffer.from('[]') } : response,
    },
    {
      name: 'responds to a creation with another status',
      operation: 'clients_create',
      fault: (_, response) => (response.status === 201 ? { ...response, status: 200 } : response),
    },
    {
      name: 'fails on a malformed body',
      operation: 'clients_update',
      fault: ({ method }, response) =>
        method === 'PUT' && response.status === 400 ? { ...response, status: 500 } : response,
    },
    {
      name: 'accepts requests without a token',
      operation: 'clients_read',
      fault: ({ url = '' }, response) =>
        /\/clients\/\d+$/.test(url) && response.status === 401 ? { ...response, status: 404 } : response,
    },
  ];

describe('npm run contract', () => {
  const { client, app } = useApp(anyDatabase);
  const proxies: TenantProxy[] = [];
  /** Runs it in a process of its own. */
  const spawned = async (all: readonly string[]) =>
    promisify(execFile)(process.execPath, [main, ...all], { maxBuffer: 2 ** 26 }).then(
      ({ stdout }) => ({ status: 0, stdout }),
      ({ code, stdout, stderr }) => ({ status: code as number, stdout: `${stdout}${stderr}` }),
    );
  /** Runs it in this process, which has its checks compiled. */
  const here = async (all: readonly string[]) => {
    const lines: unknown[] = [];
    const log = (line: unknown) => void lines.push(line);
    return { status: await runContract(all, { log, error: log }), stdout: lines.join('\n') };
  };
  const run = async (
    args: readonly string[],
    interference: Interference = {},
    { tenant, token } = client,
    start = here,
  ) => {
    const proxy = await startTenantProxy(app.port, tenant.slug, {
      ...interference,
      // Uncompressed, so that the fault can be planted.
      forward: headers => ({ ...headers, 'accept-encoding': 'identity' }),
    });
    proxies.push(proxy);
    const outcome = await start(['--url', proxy.url, '--token', token, ...args]);
    return { ...outcome, requested: proxy.requested };
  };
  before(async () => {
    const scene = new Scene(client);
    for (const resource of ['events', 'contacts']) await scene.idOf(resource);
  });
  after(async () => {
    for (const proxy of proxies) await proxy.close();
  });

  it('names each operation, and exits with 0 if the server keeps the contract', async () => {
    const { status, stdout, requested } = await run(['--only', only, '--write'], {}, client, spawned);
    assert.equal(status, 0, stdout);
    for (const { method, path, operationId } of tested)
      assert.ok(stdout.includes(`ok   ${method} ${path} (${operationId})`), `${operationId}\n${stdout}`);
    assert.ok(requested.some(request => request.startsWith('POST ')));
  });

  it('sends nothing but GET and HEAD without --write, and says what it has not tested', async () => {
    const { status, stdout, requested } = await run(['--only', only]);
    assert.equal(status, 0, stdout);
    assert.deepEqual([...new Set(requested.map(request => request.split(' ')[0]))].sort(), ['GET', 'HEAD']);
    for (const { method, path, operationId } of tested) {
      const state = method === 'GET' ? 'ok  ' : 'skip';
      assert.ok(stdout.includes(`${state} ${method} ${path} (${operationId})`), operationId);
    }
  });

  for (const [what, text] of [
    ['every operation is skipped', 'clients_create'],
    ['no operation is meant', 'nonsense'],
  ] as const)
    it(`exits with 1 and says that nothing has been tested if ${what}`, async () => {
      const { status, stdout } = await run(['--only', text]);
      assert.equal(status, 1, stdout);
      assert.match(stdout, /Nothing has been tested/);
    });

  for (const [what, wanted, state] of [
    ['an empty tenant with every module', undefined, 'ok  '],
    ['a tenant without modules', { modules: new Set<never>() }, 'skip'],
  ] as const)
    it(`reads every operation of ${what}, and exits with 0`, async () => {
      const { status, stdout } = await run([], {}, await app.newClient(wanted));
      assert.equal(status, 0, stdout);
      assert.match(stdout, new RegExp(`^${state} GET /pay-runs \\(`, 'm'));
      assert.match(stdout, /^skip GET \/sandbox\/clock \(\w+\): the tenant is not a sandbox$/m);
      assert.match(stdout, /^ok {3}GET \/employees \(/m);
    });

  it('does not test the change of records that the tenant does not have and that no operation creates', async () => {
    const { status, stdout } = await run(['--only', '/payroll-exports', '--write'], {}, await app.newClient());
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^skip PUT \/payroll-exports\/\{id\} \(\w+\): the tenant has no record for it$/m);
  });

  it('tests the operations of a sandbox', async () => {
    const { status, stdout } = await run(['--only', '/sandbox', '--write'], {}, await app.newClient({ sandbox: true }));
    assert.equal(status, 0, stdout);
    for (const { method, path } of operations.filter(({ sandbox }) => sandbox))
      assert.ok(stdout.includes(`ok   ${method} ${path} (`), stdout);
  });

  it('sends a request again that was 503 with Retry-After, and ends with 1 if it stays so', async () => {
    const unavailable = (response: Passing): Passing => ({
      ...response,
      status: 503,
      headers: { 'content-type': 'application/json', 'retry-after': '0' },
      bytes: Buffer.from('{}'),
    });
    let count = 0;
    const often: Interference = { alter: (_, response) => (++count % 3 === 0 ? unavailable(response) : response) };
    const now = await run(['--only', 'clients_read'], often);
    assert.equal(now.status, 0, now.stdout);
    assert.ok(count > 30);
    const always = await run(['--only', 'clients_read'], { alter: (_, response) => unavailable(response) });
    assert.equal(always.status, 1);
    assert.match(always.stdout, /stays unavailable: GET \/me: 503/);
  });

  it('explains itself with --help', async () => {
    const { status, stdout } = await spawned(['--help']);
    assert.equal(status, 0);
    assert.match(stdout, /^npm run contract -- --url <url> --token <token>[\s\S]*--write [\s\S]*--ca [\s\S]*--only /);
  });

  for (const { name, operation, fault } of faults)
    it(`exits with 1 and names the operation if the server ${name}`, async () => {
      const { status, stdout } = await run(['--only', operation, '--write'], { ...(fault && { alter: fault }) });
      assert.equal(status, 1, stdout);
      const { method, path } = tested.find(({ operationId }) => operationId === operation) ?? {};
      assert.ok(stdout.includes(`FAIL ${method} ${path} (${operation})`), stdout);
    });

  it('exits with 1 if the token is not valid, and without one', async () => {
    const invalid = await run(['--token', 'x'], {}, client, spawned);
    assert.equal(invalid.status, 1);
    assert.match(invalid.stdout, /invalid_token/);
    const none = await run(['--token', '']);
    assert.equal(none.status, 1);
    assert.match(none.stdout, /npm run contract/);
  });
});
