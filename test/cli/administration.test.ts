import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { openInternalPort } from '../../src/http/connection/internal/internal.ts';
import { startS3 } from '../files/s3-server.ts';
import { inMemory, onServer, ownDatabase, scratchUrl } from '../support/database.ts';
import { redisProgram, startRedis } from '../support/redis-server.ts';
import { callersOf, identify } from '../tenancy/identify.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'cli-'));
const environment = { DATA_DIR: dataDir, BASE_DOMAIN: 'staffing.test' };
let database: Database;

before(async () => {
  database = await ownDatabase();
  await staffing('tenant', 'create', 'acme', '--host', 'jobs.acme.example');
  await staffing('tenant', 'create', 'bolt', '--host', 'jobs.bolt.example');
});
after(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

/** Runs a command on a database that stays open. */
const staffing = async (...args: string[]) => staffingWith({}, ...args);
const staffingWith = async (more: Record<string, string>, ...args: string[]) => {
  const out: string[] = [];
  const note: string[] = [];
  const status = await run(args, {
    environment: { ...environment, ...more },
    out: line => out.push(line),
    note: line => note.push(line),
    open: () => ({ ...database, close: async () => {} }),
  });
  return { status, out, note };
};
const found = async (host: string) => (await identify(callersOf(database), host)).tenant;

describe('tenant', () => {
  test('update changes what is given and keeps the rest', async () => {
    const { status, out, note } = await staffing(
      ...['tenant', 'update', 'acme', '--name', 'Acme', '--time-zone', 'Europe/Vienna', '--rate-limit', '7'],
      ...['--modules', 'billing', '--add-host', 'New.Acme.Example', '--remove-host', 'jobs.acme.example', '--json'],
    );
    assert.equal(status, 0, note.join('\n'));
    const { id, ...shown } = JSON.parse(out.join('\n'));
    const wanted = {
      slug: 'acme',
      name: 'Acme',
      hosts: ['acme.staffing.test', 'new.acme.example'],
      time_zone: 'Europe/Vienna',
      modules: ['billing'],
      rate_limit: 7,
      sandbox: false,
      active: true,
    };
    assert.equal(typeof id, 'number');
    assert.deepEqual(shown, wanted);
    const limited = await staffing('tenant', 'update', 'acme', '--rate-limit', 'default', '--json');
    const { id: _, ...unlimited } = JSON.parse(limited.out.join('\n'));
    assert.deepEqual(unlimited, { ...wanted, rate_limit: null });
    assert.equal((await found('new.acme.example')).slug, 'acme');
    await assert.rejects(found('jobs.acme.example'), { code: 'tenant_not_found' });
    const added = await staffing('tenant', 'update', 'acme', '--add-host', 'more.acme.example');
    assert.match(
      added.note.join('\n'),
      /^more\.acme\.example is not <label>\.staffing\.test: .*set TLS_CERT and TLS_KEY$/,
    );
  });

  test('update is rejected as a whole if a part of it is', async () => {
    const cases: [args: string[], message: RegExp][] = [
      [[], /Nothing to change/],
      [['--add-host', 'jobs.bolt.example'], /addresses the tenant "bolt" already/],
      [['--add-host', 'x.staffing.test'], /lies under staffing.test/],
      [['--remove-host', 'jobs.bolt.example'], /is not a host name of the tenant "acme"/],
      [['--time-zone', 'Mars/Olympus'], /is not a time zone/],
    ];
    for (const [args, message] of cases) {
      const renaming = args.length > 0 ? ['--name', 'Never'] : [];
      const { status, note } = await staffing('tenant', 'update', 'acme', ...renaming, ...args);
      assert.equal(status, 1);
      assert.match(note.join('\n'), message);
    }
    assert.equal((await found('acme.staffing.test')).name, 'Acme');
    assert.equal((await found('jobs.bolt.example')).slug, 'bolt');
  });

  test('disable stops serving its host names, and enable serves them again', async () => {
    assert.deepEqual((await staffing('tenant', 'disable', 'bolt')).out, ['Tenant bolt is disabled']);
    for (const host of ['bolt.staffing.test', 'jobs.bolt.example'])
      await assert.rejects(found(host), { code: 'tenant_disabled' });
    assert.deepEqual((await staffing('tenant', 'enable', 'bolt')).out, ['Tenant bolt is enabled']);
    assert.equal((await found('jobs.bolt.example')).slug, 'bolt');
    const { status, note } = await staffing('tenant', 'disable', 'nobody');
    assert.deepEqual(
      [status, note],
      [1, ['staffing: There is no tenant "nobody"; "tenant list" shows the existing ones']],
    );
  });
});

describe('config print', () => {
  test('shows every variable with its value and origin, and no secret', async () => {
    const file = join(dataDir, 'redis');
    writeFileSync(file, 'redis://:hunter2@redis.example:6379/0\n');
    const secrets = {
      DATABASE_URL: 'postgres://staffing:hunter2@db.example/staffing?sslpassword=hunter2',
      REDIS_URL_FILE: file,
      S3_ACCESS_KEY_ID: 'hunter2',
      S3_SECRET_ACCESS_KEY: 'hunter2',
    };
    const { status, out } = await staffingWith({ ...secrets, RATE_LIMIT: '7' }, 'config', 'print', '--json');
    assert.equal(status, 0);
    assert.doesNotMatch(out.join('\n'), /hunter2/);
    const shown = JSON.parse(out.join('\n')) as { name: string; value: string | null; source: string }[];
    const of = (name: string) => {
      const { value, source } = shown.find(entry => entry.name === name) ?? {};
      return [value, source];
    };
    assert.deepEqual(of('RATE_LIMIT'), ['7', 'environment']);
    assert.deepEqual(of('RATE_LIMIT_PERIOD'), ['60', 'default']);
    assert.deepEqual(of('HOST'), [null, 'default']);
    assert.deepEqual(of('DATABASE_URL'), [
      'postgres://staffing:***@db.example/staffing?sslpassword=***',
      'environment',
    ]);
    assert.deepEqual(of('REDIS_URL'), ['redis://:***@redis.example:6379/0', 'file']);
    assert.deepEqual(of('S3_SECRET_ACCESS_KEY'), ['***', 'environment']);
  });

  test('reports an invalid configuration', async () => {
    const { status, note } = await staffingWith({ PORT: 'x' }, 'config', 'print');
    assert.equal(status, 1);
    assert.match(note.join('\n'), /PORT: expected/);
  });
});

describe('doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  after(() => rmSync(folder, { recursive: true }));
  const examine = async (more: Record<string, string>) => {
    const { status, out } = await staffingWith(
      { DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0', ...more },
      'doctor',
      '--json',
    );
    const findings = JSON.parse(out.join('\n')) as { check: string; result: string; detail: string }[];
    return { status, of: (check: string) => findings.find(finding => finding.check === check) };
  };
  const occupied = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    return { port: String((server.address() as { port: number }).port), close: () => server.close() };
  };

  test('exits with 0 where the service can run, and creates nothing', async () => {
    const { status, of } = await examine({});
    assert.equal(status, 0);
    assert.match(of('database')?.detail ?? '', /created at the first start/);
    assert.match(of('server')?.detail ?? '', /not running/);
    assert.match(of('certificate')?.detail ?? '', /of an authority in DATA_DIR/);
    const behind = await examine({ NODE_ENV: 'production', ALLOW_EMBEDDED: 'true', TRUST_PROXY: '127.0.0.1' });
    assert.match(behind.of('certificate')?.detail ?? '', /^none: a proxy/);
    const again = await examine({});
    assert.deepEqual(again.of('database'), of('database'));
  });

  test('exits with 1 for what keeps the service from running', async () => {
    const other = await occupied();
    const pem = join(folder, 'pem');
    writeFileSync(pem, '-----BEGIN CERTIFICATE-----\n');
    const cases: [environment: Record<string, string>, check: string][] = [
      [{ PORT: 'x' }, 'configuration'],
      [{ DATABSE_URL: 'x' }, 'configuration'],
      [{ PORT: other.port }, 'PORT'],
      [{ INTERNAL_PORT: other.port }, 'INTERNAL_PORT'],
      [{ TLS_CERT: pem, TLS_KEY: pem }, 'certificate'],
      [{ DATABASE_URL: `postgres://nobody@127.0.0.1:${other.port}/none` }, 'database'],
    ];
    for (const [environment, check] of cases) {
      const { status, of } = await examine(environment);
      assert.deepEqual([status, of(check)?.result], [1, 'fail'], JSON.stringify(environment));
    }
    other.close();
  });

  test('examines S3 where files are stored there: exits with 1 if it cannot be listed', async t => {
    const s3 = await startS3();
    t.after(s3.close);
    const { bucket, endpoint, region } = s3.options;
    const environment = {
      FILE_STORAGE: 's3',
      S3_BUCKET: bucket,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    };
    const there = await examine(environment);
    assert.deepEqual([there.status, there.of('files')?.result], [0, 'ok'], there.of('files')?.detail);
    assert.equal(there.of('files')?.detail, `in bucket bucket at ${endpoint}`);
    const refused = await examine({ ...environment, S3_ACCESS_KEY_ID: 'other' });
    assert.deepEqual([refused.status, refused.of('files')?.result], [1, 'fail']);
    s3.close();
    const gone = await examine(environment);
    assert.deepEqual([gone.status, gone.of('files')?.result], [1, 'fail']);
    assert.match(gone.of('files')?.detail ?? '', /^bucket bucket at .*: connect ECONNREFUSED/);
  });

  test('warns of a Redis that does not respond, without which the service runs', async () => {
    const silent = await occupied();
    const url = `redis://:s3cret@127.0.0.1:${silent.port}`;
    const waited = await examine({ REDIS_URL: url });
    assert.deepEqual([waited.status, waited.of('Redis')?.result], [0, 'warn']);
    silent.close();
    const gone = await examine({ REDIS_URL: url });
    assert.deepEqual([gone.status, gone.of('Redis')?.result], [0, 'warn']);
    assert.match(gone.of('Redis')?.detail ?? '', /^connect ECONNREFUSED .* each instance counts requests on its own$/);
    assert.doesNotMatch(`${waited.of('Redis')?.detail}${gone.of('Redis')?.detail}`, /s3cret/);
    assert.equal((await examine({})).of('Redis'), undefined);
  });

  const redis = redisProgram();
  test('is content with a Redis that responds, and warns of a wrong password', { skip: redis === null }, async () => {
    const server = await startRedis(redis ?? '');
    assert.deepEqual((await examine({ REDIS_URL: server.url })).of('Redis')?.result, 'ok');
    const wrong = await examine({ REDIS_URL: server.url.replace('//', '//nobody:wrong@') });
    assert.match(wrong.of('Redis')?.detail ?? '', /WRONGPASS/);
    await server.kill();
  });

  test('warns of a Postgres that accepts no writes', async () => {
    const url = await scratchUrl();
    const server = openDatabase({ ...inMemory, url });
    await server.migrate();
    await server.close();
    const examined = async () => (await examine({ DATABASE_URL: url })).of('database');
    const open = await examined();
    assert.deepEqual([open?.result, open?.detail], ['ok', 'Postgres; up to date']);
    await onServer(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    const closed = await examined();
    assert.deepEqual([closed?.result, /read-only/.test(closed?.detail ?? '')], ['warn', true]);
  });

  test('counts the ports of a running server as no fault', async () => {
    const api = await occupied();
    const internal = await openInternalPort({ port: 0, host: '127.0.0.1' }, {});
    const { status, of } = await examine({ PORT: api.port, INTERNAL_PORT: String(internal.port) });
    assert.equal(status, 0);
    assert.match(of('PORT')?.detail ?? '', /in use by the running server/);
    assert.match(of('server')?.detail ?? '', /^running$/);
    await internal.close();
    api.close();
  });
});
