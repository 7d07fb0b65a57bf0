import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import type { Database } from '../../src/db/open.ts';
import { readConfig } from '../../src/server/config/config.ts';
import { loadKeys } from '../../src/server/load-keys.ts';
import { readClaims } from '../../src/tenancy/tokens.ts';
import { ownDatabase } from '../support/database.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'cli-'));
const environment = { DATA_DIR: dataDir, BASE_DOMAIN: 'staffing.test' };
let database: Database;

before(async () => {
  // A separate database: the shared one contains tenants of other tests.
  database = await ownDatabase();
});
after(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

/** Runs a command on a database that stays open; returns its exit status and output. */
const staffing = async (...args: string[]) => {
  const out: string[] = [];
  const note: string[] = [];
  const status = await run(args, {
    environment,
    out: line => out.push(line),
    note: line => note.push(line),
    open: () => ({ ...database, close: async () => {} }),
  });
  return { status, out, note };
};

const json = async (...args: string[]) => {
  const { status, out, note } = await staffing(...args, '--json');
  assert.equal(status, 0, note.join('\n'));
  assert.deepEqual(note, []);
  return JSON.parse(out.join('\n'));
};

describe('tenant', () => {
  test('create prints the host names, which of them the development certificate does not cover, and the next command', async () => {
    const { status, out, note } = await staffing(
      'tenant',
      'create',
      'acme',
      '--name',
      'Acme Staffing',
      '--host',
      'Jobs.Acme.Example',
    );
    assert.equal(status, 0, note.join('\n'));
    assert.deepEqual(out, ['Tenant acme is available at acme.staffing.test, jobs.acme.example']);
    assert.deepEqual(note, [
      'jobs.acme.example is not <label>.staffing.test: clients reject the development certificate for it; set TLS_CERT and TLS_KEY',
      'Next: npm run --silent staffing -- api-user create acme "<name>"',
    ]);
  });

  test('create --json prints the tenant', async () => {
    const { id, ...tenant } = await json(
      'tenant',
      'create',
      'bolt',
      '--modules',
      'billing,checkins',
      '--time-zone',
      'Europe/Vienna',
      '--rate-limit',
      '6000',
    );
    assert.equal(typeof id, 'number');
    assert.deepEqual(tenant, {
      slug: 'bolt',
      name: 'bolt',
      hosts: ['bolt.staffing.test'],
      time_zone: 'Europe/Vienna',
      modules: ['billing', 'checkins'],
      rate_limit: 6000,
      sandbox: false,
      active: true,
    });
  });

  test('list shows all of them', async () => {
    assert.deepEqual((await staffing('tenant', 'list')).out, [
      'SLUG  NAME           HOSTS                                 TIME ZONE      MODULES           ACTIVE',
      'acme  Acme Staffing  acme.staffing.test jobs.acme.example  Europe/Berlin  all               yes',
      'bolt  bolt           bolt.staffing.test                    Europe/Vienna  billing,checkins  yes',
    ]);
    assert.deepEqual(
      (await json('tenant', 'list')).map(({ slug }: { slug: string }) => slug),
      ['acme', 'bolt'],
    );
  });
});

describe('api-user', () => {
  before(() => staffing('tenant', 'create', 'limited'));

  test('create adds users with write access and read-only users', async () => {
    const user = await json('api-user', 'create', 'acme', 'integration');
    assert.equal(user.read_only, false);
    const { out } = await staffing('api-user', 'create', 'acme', 'reports', '--read-only');
    assert.match(out.join(), /^Read-only API user "reports" of tenant acme has the id \d+$/);
  });

  test('create and update set scopes and hidden categories, both repeatable', async () => {
    const access = async (...args: string[]) => {
      const { scopes, hidden } = await json('api-user', ...args);
      return [scopes, hidden];
    };
    const given = ['--scope', 'clients:read', '--scope', '*:write', '--hide', 'pay', '--hide', 'health'];
    assert.deepEqual(await access('create', 'limited', 'payroll', ...given), [
      ['clients:read', '*:write'],
      ['pay', 'health'],
    ]);
    assert.deepEqual(await access('update', 'limited', 'payroll', '--scope', '*:read'), [
      ['*:read'],
      ['pay', 'health'],
    ]);
    assert.deepEqual(await access('update', 'limited', 'payroll', '--all-scopes'), [[], ['pay', 'health']]);
    assert.deepEqual(await access('update', 'limited', 'payroll', '--hide-nothing'), [[], []]);
    const { out, note } = await staffing(
      'api-user',
      'update',
      'limited',
      'payroll',
      '--scope',
      'clients:write',
      '--hide',
      'pay',
    );
    assert.deepEqual(out, ['API user "payroll" of tenant limited may: clients:write; without pay']);
    assert.deepEqual(note, ['clients:write has no effect without clients:read.']);
  });

  test('an unknown scope or category is an error with the nearest', async () => {
    const scope = await staffing('api-user', 'create', 'acme', 'x', '--scope', 'client:read');
    assert.equal(scope.status, 1);
    assert.match(scope.note.join(), /"client:read" is not a scope.* Did you mean clients:read\?/);
    const category = await staffing('api-user', 'update', 'acme', 'reports', '--hide', 'helth');
    assert.equal(category.status, 1);
    assert.match(category.note.join(), /"helth" is not a category.* Did you mean health\?/);
    const both = await staffing('api-user', 'update', 'acme', 'reports', '--hide', 'pay', '--hide-nothing');
    assert.match(both.note.join(), /either --hide or --hide-nothing/);
  });

  test('list shows those of the tenant', async () => {
    const users = await json('api-user', 'list', 'acme');
    assert.deepEqual(
      users.map((user: { name: string; read_only: boolean }) => [user.name, user.read_only]),
      [
        ['integration', false],
        ['reports', true],
      ],
    );
    assert.deepEqual(await json('api-user', 'list', 'bolt'), []);
  });
});

describe('token', () => {
  test('issue prints the token alone in the last line', async () => {
    const { out, note } = await staffing('token', 'issue', 'acme', 'integration', '--expires', '30d');
    assert.equal(out.length, 1);
    assert.match(note.join(), /^Token [0-9a-f-]{36} of "integration" \(acme\), valid until /);
    const now = Math.floor(Date.now() / 1000);
    const keys = loadKeys(readConfig(environment));
    const claims = readClaims(out[0] ?? '', { keys, issuer: 'staffing', audience: 'acme' }, now);
    assert.equal(claims.expiresAt - claims.issuedAt, 30 * 86_400);
  });

  test('issue creates a token that is valid for a year by default', async () => {
    const { expires_at } = await json('token', 'issue', 'acme', 'reports');
    assert.equal(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000), 365);
  });

  test('revoke revokes for good, and list shows it', async () => {
    const { jti } = await json('token', 'issue', 'acme', 'integration');
    const first = await json('token', 'revoke', jti);
    assert.deepEqual(await json('token', 'revoke', jti), first);
    const tokens = await json('token', 'list', 'acme');
    assert.equal(tokens.length, 3);
    assert.deepEqual(
      tokens
        .filter((token: { revoked_at: string | null }) => token.revoked_at)
        .map((token: { jti: string }) => token.jti),
      [jti],
    );
    assert.ok(!JSON.stringify(tokens).includes('eyJ'));
  });
});

describe('migrate', () => {
  test('says that there is nothing to do', async () => {
    assert.deepEqual((await staffing('migrate')).out, ['The database is up to date']);
    assert.deepEqual(await json('migrate'), { applied: [] });
  });
});

describe('key', () => {
  test('create prints a key set that the configuration accepts', async () => {
    const { out } = await staffing('key', 'create');
    assert.equal(readConfig({ JWT_KEYS: out.join('\n') }).jwt.keys?.verifying.size, 1);
  });
});

const refused: [args: string[], message: RegExp][] = [
  [['tenant', 'create', 'acme'], /^staffing: There is a tenant "acme" already$/],
  [['tenant', 'create', 'Acme'], /"Acme" is not a slug: .* for example acme-events$/],
  [['tenant', 'create', '-acme'], /unknown option/],
  [['tenant', 'create', 'a.b'], /is not a slug/],
  [['tenant', 'create', 'xn--a'], /"xn--a" is not a slug: host names with xn-- /],
  [['tenant', 'create', 'new', '--host', 'https://new.example'], /is not a host name/],
  [['tenant', 'create', 'new', '--host', 'jobs.acme.example'], /addresses the tenant "acme" already/],
  [['tenant', 'create', 'new', '--host', 'other.staffing.test'], /lies under staffing\.test/],
  [['tenant', 'create', 'new', '--modules', 'billing,dance'], /Unknown module "dance"/],
  [['tenant', 'create', 'new', '--time-zone', 'Berlin'], /"Berlin" is not a time zone/],
  [['tenant', 'create', 'new', '--time-zone', '+02:00'], /is not a time zone/],
  [['tenant', 'create', 'new', '--name', ' '], /A name must have/],
  [['tenant', 'create'], /missing required argument 'slug'/],
  [['api-user', 'create', 'nobody', 'x'], /There is no tenant "nobody"/],
  [['api-user', 'create', 'acme', '17'], /"17" could be the id of an API user/],
  [['api-user', 'create', 'acme', 'reports'], /already has an API user "reports"/],
  [['token', 'issue', 'acme', 'ghost'], /has no API user "ghost"; existing API users: "integration", "reports"/],
  [['token', 'issue', 'acme', 'reports', '--expires', 'soon'], /"soon" is not a duration: .* for example 30d/],
  [['token', 'issue', 'acme', 'reports', '--expires', '11y'], /at most 10y/],
  [['token', 'revoke', 'nothing'], /There is no token "nothing"/],
  [['demo', '--size', 'huge'], /Allowed choices are small, large/],
  [['dance'], /unknown command 'dance'/],
];

describe('a failed command exits with 1 and prints a message', () => {
  for (const [args, message] of refused) {
    test(args.join(' '), async () => {
      const { status, out, note } = await staffing(...args);
      assert.equal(status, 1);
      assert.deepEqual(out, []);
      assert.match(note.join('\n'), message);
      assert.doesNotMatch(note.join('\n'), /^\s+at /m);
    });
  }

  test('as JSON with --json', async () => {
    const { status, note } = await staffing('tenant', 'create', 'acme', '--json');
    assert.equal(status, 1);
    assert.deepEqual(JSON.parse(note.join('\n')), { error: 'There is a tenant "acme" already' });
    for (const [args, error] of [
      [['tenant', 'create'], "missing required argument 'slug'"],
      [['tenant', 'dance'], "unknown command 'dance'"],
      [['tenant', 'create', 'x', '--nonsense'], "unknown option '--nonsense'"],
    ] as const) {
      const wrong = await staffing(...args, '--json');
      assert.deepEqual([wrong.status, wrong.out, wrong.note.map(line => JSON.parse(line))], [1, [], [{ error }]]);
    }
  });

  test('naming a data folder that cannot be made, at once', async () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    for (const [path, reason] of [
      [file, 'a file has this name'],
      [join(file, 'below'), 'a file has this name'],
      ['/proc/nowhere/data', 'ENOENT'],
    ] as const) {
      const note: string[] = [];
      const out: string[] = [];
      const terminal = {
        environment: { DATA_DIR: path },
        out: (line: string) => out.push(line),
        note: (line: string) => note.push(line),
      };
      assert.equal(await run(['migrate'], terminal), 1);
      assert.match(note.join('\n'), new RegExp(`^staffing: The folder /.* cannot be created: ${reason}\\.$`));
      assert.equal(await run(['doctor', '--json'], terminal), 1);
      const findings: { check: string; result: string; detail: string }[] = JSON.parse(out.join('\n'));
      assert.equal(findings.find(({ check }) => check === 'data folder')?.result, 'fail', out.join('\n'));
    }
  });

  test('naming every invalid variable of the environment', async () => {
    const note: string[] = [];
    const status = await run(['tenant', 'list'], {
      environment: { PORT: 'x', LOG_LEVEL: 'y' },
      out: () => {},
      note: line => note.push(line),
    });
    assert.equal(status, 1);
    assert.match(note.join('\n'), /The configuration has 2 errors:\n {2}PORT: .*\n {2}LOG_LEVEL: /);
  });
});

describe('--help', () => {
  const commands = [
    [],
    ['tenant'],
    ['tenant', 'create'],
    ['tenant', 'list'],
    ['api-user'],
    ['api-user', 'create'],
    ['api-user', 'update'],
    ['api-user', 'list'],
    ['token'],
    ['token', 'issue'],
    ['token', 'list'],
    ['token', 'revoke'],
    ['key'],
    ['key', 'create'],
    ['migrate'],
    ['demo'],
  ];
  for (const command of commands) {
    test(`of ${command.join(' ') || 'the program'} ends with 0`, async () => {
      const { status, out, note } = await staffing(...command, '--help');
      assert.equal(status, 0);
      assert.match(out.join('\n'), /^Usage: staffing/);
      assert.deepEqual(note, []);
    });
  }
});

describe('webhook-secret', () => {
  test('show prints the secret of the tenant’s webhooks, and rotate replaces it', async () => {
    await staffing('tenant', 'create', 'hooks', '--name', 'Hooks');
    const { secret } = await json('webhook-secret', 'show', 'hooks');
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual((await staffing('webhook-secret', 'show', 'hooks')).out, [secret]);
    const rotated = await json('webhook-secret', 'rotate', 'hooks');
    assert.notEqual(rotated.secret, secret);
    assert.deepEqual(await json('webhook-secret', 'show', 'hooks'), { tenant: 'hooks', secret: rotated.secret });
    assert.equal((await staffing('webhook-secret', 'show', 'nobody')).status, 1);
  });
});
