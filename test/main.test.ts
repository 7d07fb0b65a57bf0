import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import nodeFlags from '../scripts/bin/node-flags.cjs';
import { ownSchema } from '../src/db/schema/files.ts';
import { stoppedEarly } from '../src/server/stopped-early.ts';
import { blocksOf, chapterOf } from './readme/server.ts';
import { childEnvironment } from './support/child-environment.ts';
import { scratchUrl } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { until } from './support/until.ts';

const run = promisify(execFile);
const dataDir = mkdtempSync(join(tmpdir(), 'main-'));
const environment = {
  ...childEnvironment,
  DATA_DIR: dataDir,
  PORT: '0',
  INTERNAL_PORT: '0',
  LOG_LEVEL: 'warn',
};

const node = [...nodeFlags, '--require', './scripts/node-version.cjs'];

/** What is to end with the tests, also with those that fail. */
const launched = new Set<ChildProcess>();
after(() => {
  for (const child of launched) child.kill('SIGKILL');
});

/** Starts the server as `npm start` does. */
const launch = (overrides: Record<string, string> = {}): ChildProcessWithoutNullStreams => {
  const child = spawn(process.execPath, [...node, 'src/main.ts'], { env: { ...environment, ...overrides } });
  launched.add(child);
  return child;
};

interface Started {
  readonly child: ChildProcess;
  /** The output until the server listened. */
  readonly printed: string;
}

/** Whether the output of a start is complete. */
const isGreeted = (printed: string): boolean =>
  /^Staffing API .*\nAPI explorer: https:.*\/api\/v1\/docs\nAdministration: http:.*\nDatabase: .*\n(?:There is no tenant\..*\n)?A token: .*\n/.test(
    printed,
  ) &&
  (!printed.includes('Try:') || printed.endsWith("/clients'\n\n"));

/** Starts the server and waits until it has printed its URL. */
const start = (overrides: Record<string, string> = {}): Promise<Started> => {
  const child = launch(overrides);
  let printed = '';
  let failed = '';
  child.stderr.on('data', chunk => {
    failed += chunk;
  });
  return new Promise((resolve, reject) => {
    child.stdout.on('data', chunk => {
      printed += chunk;
      if (isGreeted(printed)) resolve({ child, printed });
    });
    child.once('close', status => reject(new Error(`It ended with ${status}: ${failed}`)));
  });
};

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  child.kill(signal);
  const [status] = await once(child, 'exit');
  return status;
};

const staffing = (...args: string[]) =>
  run(process.execPath, [...node, 'src/cli/main.ts', ...args], { env: environment }).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ status: code as number, stdout: String(stdout), stderr: String(stderr) }),
  );

/** The response to a request of a process on this machine, whose certificate is not checked. */
const ask = (url: string): Promise<{ status: number; headers: IncomingHttpHeaders; body: { code?: string } }> =>
  new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, agent: false, headers: { 'Accept-Encoding': 'identity' } }, response => {
      let text = '';
      response.on('data', chunk => {
        text += chunk;
      });
      const { statusCode: status = 0, headers } = response;
      response.once('end', () => resolve({ status, headers, body: JSON.parse(text) })).once('error', reject);
    }).once('error', reject);
  });

describe('a first start that does not get to its end', () => {
  test('ends with 0 when it is stopped while its modules are loaded, before anything is done', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'main-'));
    // The process sends itself the signal once it handles signals.
    const hook = `process.on('newListener', name => name === 'SIGINT' && process.kill(process.pid, 'SIGTERM'))`;
    const args = [...node, '--import', `data:text/javascript,${encodeURIComponent(hook)}`, 'src/main.ts'];
    const { stdout } = await run(process.execPath, args, { env: { ...environment, DATA_DIR: folder } });
    assert.equal(stdout, stoppedEarly);
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  });

  test('ends with 0 when it is stopped during the migration, of which nothing is kept', async () => {
    const [folder, internal] = [mkdtempSync(join(tmpdir(), 'main-')), await freePort()];
    const env = { ...environment, DATA_DIR: folder, INTERNAL_PORT: String(internal) };
    const child = launch(env);
    let printed = '';
    child.stdout.on('data', chunk => {
      printed += chunk;
    });
    const reason = async () => {
      const ready = await fetch(`http://127.0.0.1:${internal}/readyz`).catch(() => null);
      return ((await ready?.json()) as { reason?: string } | undefined)?.reason;
    };
    await until('it migrates', async () => {
      assert.equal(child.exitCode, null);
      return (await reason()) === 'migrating';
    });
    assert.equal(await end(child, 'SIGTERM'), 0);
    assert.equal(printed, stoppedEarly);
    const { stdout } = await run(process.execPath, [...node, 'src/cli/main.ts', 'migrate', '--json'], { env });
    assert.equal(JSON.parse(stdout).applied.length, ownSchema.migrations.length);
    rmSync(folder, { recursive: true });
  });

  const ports = ['PORT', 'INTERNAL_PORT'] as const;
  for (const name of ports)
    test(`ends before the database is created if ${name} is in use`, async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const taken = { [name]: String(port), HOST: '127.0.0.1' };
      await assert.rejects(start(taken), new RegExp(`It ended with 1: Port ${port} is in use: stop the process.*\n$`));
      assert.equal(existsSync(join(dataDir, 'database')), false);
      other.close();
    });

  test('responds with 503 until it is complete, says what it does, and ends with 0 when it is stopped', async () => {
    const [port, internal] = [await freePort(), await freePort()];
    const child = launch({ PORT: String(port), INTERNAL_PORT: String(internal) });
    let printed = '';
    child.stdout.on('data', chunk => {
      printed += chunk;
    });
    const readiness = async () =>
      (await fetch(`http://127.0.0.1:${internal}/readyz`).then(
        response => response.json(),
        () => null,
      )) as {
        reason?: string;
      } | null;
    const reasons = new Set<string | undefined>();
    await until('it creates demo data', async () => {
      assert.equal(child.exitCode, null);
      return reasons.add((await readiness())?.reason).has('creating demo data');
    });
    assert.ok(reasons.has('migrating'));
    for (const path of ['/', '/api/v1/docs', '/api/v1/clients']) {
      const { status, headers, body } = await ask(`https://127.0.0.1:${port}${path}`);
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'service_unavailable', '2'], path);
    }
    assert.equal((await fetch(`http://127.0.0.1:${internal}/livez`)).status, 200);
    assert.equal(await end(child, 'SIGTERM'), 0);
    assert.equal(printed, stoppedEarly);
  });
});

describe('the next start, without any configuration', () => {
  let server: Started;
  before(async () => {
    server = await start();
  });
  after(() => {
    server.child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true });
  });

  test('prints three requests that work as printed', async () => {
    const lines = server.printed.split('\n').filter(line => line.startsWith('curl '));
    assert.equal(lines.length, 3);
    const [listed, embedded, created] = await Promise.all(
      lines.map(async line => JSON.parse((await run('sh', ['-c', line])).stdout)),
    );
    assert.equal(listed.length, 5);
    assert.deepEqual(Object.keys(listed[0]), ['id', 'name', 'start', 'end', 'project.name']);
    assert.equal(embedded.length, 3);
    assert.deepEqual(Object.keys(embedded[0].assignmentEmployee), ['firstname', 'lastname']);
    assert.equal(created.company, 'Nordlicht Events');
  });

  test("responds to the README's first request as the README shows", async () => {
    const chapter = chapterOf('README.md', 'A first request');
    const [[command = ''], [response]] = [blocksOf(chapter, 'sh'), blocksOf(chapter, 'json')];
    assert.match(command, /localhost:8443.*\n$/);
    const [, address = ''] = / at (https:\/\/localhost:\d+)\//.exec(server.printed) ?? [];
    const [, token = ''] = /\n(ey[\w.-]+)\n/.exec(server.printed) ?? [];
    const line = command.replace('https://localhost:8443', address).replace('data/tls', join(dataDir, 'tls'));
    const { stdout } = await run('sh', ['-c', line], { env: { ...environment, TOKEN: token } });
    assert.equal(`${stdout.trimEnd()}\n`, response);
  });

  test('runs commands that need its embedded database, with the same output and exit status', async () => {
    const listed = await staffing('tenant', 'list', '--json');
    assert.equal(listed.status, 0, listed.stderr);
    assert.deepEqual(
      JSON.parse(listed.stdout).map(({ slug }: { slug: string }) => slug),
      ['demo'],
    );
    const issued = await staffing('token', 'issue', 'demo', 'demo', '--expires', '1d');
    assert.match(issued.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.match(issued.stderr, /^Token .* of "demo" \(demo\), valid until .*:\n$/);
    const failed = await staffing('api-user', 'list', 'nobody');
    assert.deepEqual(failed, {
      status: 1,
      stdout: '',
      stderr: 'staffing: There is no tenant "nobody"; "tenant list" shows the existing ones\n',
    });
  });

  test('is backed up and examined while it runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'main-'));
    const backup = await staffing('backup', join(folder, 'backup'));
    assert.deepEqual(
      [backup.status, backup.stdout],
      [0, `The backup is in ${join(folder, 'backup')}\n`],
      backup.stderr,
    );
    assert.deepEqual(readdirSync(join(folder, 'backup')).sort(), ['backup.json', 'content', 'database', 'keys', 'tls']);
    const { status, stdout } = await staffing('doctor');
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^database +ok +embedded, in use by the running server$/m);
    rmSync(folder, { recursive: true });
  });

  test('lets only its own user read the key of its administration, and serves only holders of it on this machine', async () => {
    const path = join(dataDir, 'administration.json');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const { url, key } = JSON.parse(readFileSync(path, 'utf8'));
    const statusOf = (headers: Record<string, string>, body = '{}') =>
      new Promise<number>((resolve, reject) => {
        request(`${url}/commands`, { method: 'POST', agent: false, headers })
          .on('response', response => resolve(response.resume().statusCode ?? 0))
          .on('error', reject)
          .end(body);
      });
    const right = { Authorization: `Bearer ${key}` };
    assert.equal(await statusOf({}), 401);
    assert.equal(await statusOf({ Authorization: 'Bearer x' }), 401);
    assert.equal(await statusOf({ ...right, Origin: 'https://evil.example' }), 403);
    assert.equal(await statusOf({ ...right, Host: 'evil.example:9443' }), 403);
    assert.equal(await statusOf(right, '{'), 400);
    assert.equal(await statusOf(right), 422);
  });

  test('rejects a second server on the same folder', async () => {
    await assert.rejects(start(), new RegExp(`in use by process ${server.child.pid}`));
  });

  test('exits with 0 on SIGTERM; then commands work, and the next start does not add data', async () => {
    assert.equal(await end(server.child, 'SIGTERM'), 0);
    assert.equal(existsSync(join(dataDir, 'administration.json')), false);
    const issued = await staffing('token', 'issue', 'demo', 'demo', '--expires', '1d');
    assert.equal(issued.status, 0, issued.stderr);
    assert.match(issued.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    server = await start();
    assert.ok(!server.printed.includes('curl'));
    assert.match(server.printed, /\nA token: npm run --silent staffing -- token issue <tenant> <api user>\n$/);
    assert.equal(await end(server.child, 'SIGINT'), 0);
  });
});

describe('with DATABASE_URL', () => {
  test('several servers may start at once; none writes demo data', async () => {
    const overrides = { DATABASE_URL: await scratchUrl() };
    const servers = await Promise.all([start(overrides), start(overrides)]);
    const applied = servers.map(
      ({ printed }) => /Database: Postgres(?:, (\d+) migrations applied)?\n/.exec(printed)?.[1],
    );
    assert.deepEqual(applied.filter(Boolean), [String(ownSchema.migrations.length)]);
    for (const { child, printed } of servers) {
      assert.ok(!printed.includes('curl'));
      assert.equal(await end(child, 'SIGTERM'), 0);
    }
  });

  test('a server without its database is alive, not ready, and can be stopped', async () => {
    const port = await freePort();
    const overrides = {
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
      INTERNAL_PORT: String(port),
    };
    const child = launch(overrides);
    const [warning] = await once(child.stderr, 'data');
    assert.match(String(warning), /the database is not available/);
    assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200);
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    assert.deepEqual(
      [ready.status, await ready.json()],
      [503, { status: 'unready', reason: 'waiting for the database' }],
    );
    assert.equal(await end(child, 'SIGTERM'), 0);
  });

  test('a server that waits for its database can be stopped although nobody reads its output any more', async () => {
    const child = launch({ DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none` });
    await once(child.stderr, 'data');
    child.stdout.destroy();
    child.stderr.destroy();
    assert.equal(await end(child, 'SIGTERM'), 0);
  });

  test('a signal that comes while the start takes over the signals stops the server', async () => {
    const signalled = `
      const { off } = process;
      process.off = (...given) => {
        process.kill(process.pid, 'SIGTERM');
        process.off = off;
        return process.off(...given);
      };`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(signalled)}`;
    const DATABASE_URL = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    assert.deepEqual(await once(launch({ DATABASE_URL, NODE_OPTIONS }), 'exit'), [0, null]);
  });
});

test('an invalid environment ends the start with 1, all errors and no stack trace', async () => {
  await assert.rejects(start({ PORT: 'https', LOG_LEVEL: 'loud' }), error => {
    assert.match(
      String(error),
      /It ended with 1: The configuration has 2 errors:\n *PORT: expected .*\n.*LOG_LEVEL: expected /,
    );
    assert.doesNotMatch(String(error), /\n\s+at .*main\.ts/);
    return true;
  });
});
