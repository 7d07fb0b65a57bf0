import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { parse } from 'yaml';
import { blocksOf, chapterOf } from '../../readme/server.ts';
import { scratchUrl } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (name: string): string => readFileSync(join(root, 'docs/deploy', name), 'utf8');
const execute = promisify(execFile);

/** Returns the program of a proxy, by its variable or its name; null: it is not on this machine. */
const programOf = (variable: string, name: string, ...version: string[]): string | null => {
  const program = process.env[variable] ?? name;
  return spawnSync(program, version).status === 0 ? program : null;
};
const proxies = { nginx: programOf('TEST_NGINX', 'nginx', '-v'), caddy: programOf('TEST_CADDY', 'caddy', 'version') };

/** A response, or null while nothing listens. */
const ask = (secure: boolean, port: number, path: string, headers: Record<string, string>) =>
  new Promise<{ status: number; text: string } | null>(found =>
    (secure ? secureRequest : request)(
      { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, servername: headers.Host ?? '' },
      response => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => found({ status: response.statusCode ?? 0, text }));
      },
    )
      .on('error', () => found(null))
      .end(),
  );

describe('what the image starts, with the environment of the composition, as a plain process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  const app = join(folder, 'app');
  const started: ChildProcess[] = [];
  let environment: Record<string, string>;
  let port: number;
  let internal: number;
  let staffing: (line: string, more?: Record<string, string>) => Promise<string>;
  let token: string;

  const start = (program: string, args: readonly string[], options: object): ChildProcess => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
    started.push(child);
    return child;
  };
  /** Waits for a response, while the process runs. */
  const responded = async (child: ChildProcess, ...asked: Parameters<typeof ask>) => {
    for (;;) {
      assert.equal(child.exitCode, null, 'the process runs');
      const response = await ask(...asked);
      if (response && response.status < 500) return response;
      await pause(50);
    }
  };

  before(async () => {
    // As the stage `build` of the Dockerfile does, with the packages of this repository.
    await execute(process.execPath, [join(root, 'scripts/publish/server.ts'), app]);
    symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
    mkdirSync(join(folder, 'tls'));
    const { cert, private: key } = await generate([{ name: 'commonName', value: '*.staffing.example' }], {
      keyType: 'ec',
      curve: 'P-256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: '*.staffing.example' }] }],
    });
    writeFileSync(join(folder, 'tls/fullchain.pem'), cert);
    writeFileSync(join(folder, 'tls/privkey.pem'), key);
    const { services } = parse(read('compose.yaml'), { merge: true });
    const composed: Record<string, string> = services['api-1'].environment;
    const [, command = ''] = /^ *printf '(.*)' > \/usr\/local\/bin\/staffing/m.exec(read('Dockerfile')) ?? [];
    const script = join(folder, 'staffing');
    writeFileSync(script, command.replaceAll('\\n', '\n').replace('/app', app), { mode: 0o755 });
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    staffing = async (line, more = {}) => {
      assert.match(line, /^staffing /);
      const [, ...args] = line.split(' ');
      return (await execute(script, args, { env: { PATH: path, NODE_ENV: 'production', ...more } })).stdout.trim();
    };
    [port, internal] = [await freePort(), await freePort()];
    const { REDIS_URL: _, ...others } = composed;
    environment = {
      ...others,
      NODE_ENV: 'production',
      DATA_DIR: join(folder, 'data'),
      FILE_DIR: join(folder, 'data/files'),
      DATABASE_URL: await scratchUrl(),
      JWT_KEYS: await staffing('staffing key create', { NODE_ENV: 'development' }),
      BASE_DOMAIN: 'staffing.example',
      TRUST_PROXY: '127.0.0.1',
      TLS_CERT: String(composed.TLS_CERT).replace('/etc/staffing', folder),
      TLS_KEY: String(composed.TLS_KEY).replace('/etc/staffing', folder),
      PORT: String(port),
      INTERNAL_PORT: String(internal),
      LOG_LEVEL: 'error',
      SHUTDOWN_DELAY: '0',
    };
    const [, line = ''] = /^CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
    const [, ...args]: string[] = JSON.parse(line);
    const child = start(process.execPath, args, { cwd: app, env: environment });
    await responded(child, false, internal, '/readyz', {});
  });
  after(async () => {
    for (const child of started.toReversed()) {
      if (child.exitCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes the commands up to the first request, as they are printed', async () => {
    const [commands = ''] = blocksOf(chapterOf('docs/deploy/README.md', 'Docker Compose'), 'sh');
    const lines = [...commands.matchAll(/docker compose exec (?:-T )?api-1 (staffing [^)\n]+)/g)].map(
      ([, line = '']) => line,
    );
    assert.equal(lines.length, 3);
    for (const line of lines) token = await staffing(line, environment);
    const headers = { Host: 'demo.staffing.example', Authorization: `Bearer ${token}`, 'X-Forwarded-Proto': 'https' };
    const me = await ask(false, port, '/api/v1/me', headers);
    assert.equal(me?.status, 200, me?.text);
    assert.match(commands, /https:\/\/demo\.staffing\.example\/api\/v1\/me/);
  });

  it('has metrics for the Prometheus of its network', async () => {
    const { scrape_configs: configs } = parse(read('prometheus.yml'));
    const [target = ''] = configs[0].static_configs[0].targets;
    assert.equal(target, 'api-1:9443');
    const metrics = await ask(false, internal, '/metrics', { Host: target });
    assert.equal(metrics?.status, 200);
    assert.match(String(metrics?.text), /staffing_info\{.*database="postgres"/);
    assert.equal(environment.INTERNAL_HOST, '0.0.0.0');
  });

  it('is reached through nginx with its example', { skip: proxies.nginx === null && 'there is no nginx' }, async () => {
    const [plain, secure] = [await freePort(), await freePort()];
    const example = read('nginx.conf')
      .replaceAll(/api-[12]:8443/g, `127.0.0.1:${port}`)
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${secure} ssl;`)
      .replaceAll('/etc/nginx/tls', join(folder, 'tls'));
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${folder}/${name};`,
    );
    const whole = `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}\nhttp { access_log off; ${paths.join(' ')}\n${example}}\n`;
    writeFileSync(join(folder, 'nginx.conf'), whole);
    const child = start(proxies.nginx ?? '', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {});
    const headers = { Host: 'demo.staffing.example', Authorization: `Bearer ${token}` };
    const me = await responded(child, true, secure, '/api/v1/me', headers);
    assert.equal(me.status, 200, me.text);
    assert.equal((await ask(false, plain, '/api/v1/me', headers))?.status, 301);
  });

  it('is reached through Caddy with its example', { skip: proxies.caddy === null && 'there is no caddy' }, async () => {
    const secure = await freePort();
    const example = read('Caddyfile')
      .replace(/^\*\.staffing\.example/m, `https://*.staffing.example:${secure}`)
      .replaceAll(/api-[12]:8443/g, `127.0.0.1:${port}`)
      .replaceAll('/etc/caddy/tls', join(folder, 'tls'));
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${example}`);
    const env = { PATH: process.env.PATH, HOME: folder };
    const child = start(proxies.caddy ?? '', ['run', '--config', file, '--adapter', 'caddyfile'], {
      env,
      stdio: 'ignore',
    });
    const options = { Host: 'demo.staffing.example', Authorization: `Bearer ${token}` };
    const me = await responded(child, true, secure, '/api/v1/me', options);
    assert.equal(me.status, 200, me.text);
  });
});
