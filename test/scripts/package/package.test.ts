import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import nodeFlags from '../../../scripts/bin/node-flags.cjs';
import { readConfig } from '../../../src/server/config/config.ts';

const root = resolve(import.meta.dirname, '../../..');

describe('the package of the server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  const modules = join(folder, 'node_modules');

  before(() => {
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    mkdirSync(modules);
    // As npm installs it; its dependencies are those of this repository.
    execFileSync('tar', ['xzf', join(folder, packed.trim()), '-C', modules]);
    execFileSync('mv', [join(modules, 'package'), join(modules, 'staffing-api')]);
    for (const name of readdirSync(join(root, 'node_modules')))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('starts with one command in an empty folder, serves requests, and ends with its command', async () => {
    const env = { PATH: process.env.PATH, PORT: '0', INTERNAL_PORT: '0', LOG_LEVEL: 'warn' };
    const child = spawn(join(modules, 'staffing-api/scripts/bin/staffing-api.cjs'), [], { cwd: folder, env });
    const failed = text(child.stderr);
    const exit = once(child, 'exit');
    const url = await new Promise<string>((found, failing) => {
      let printed = '';
      child.stdout.on('data', chunk => {
        printed += chunk;
        const [, explorer] = /API explorer: (https:\S+)/.exec(printed) ?? [];
        if (explorer) found(explorer);
      });
      void exit.then(async () => failing(new Error(`It ended: ${await failed}`)));
    });
    const response = await new Promise<{ statusCode?: number | undefined }>((found, failing) =>
      get(url, { rejectUnauthorized: false }, received => found(received.resume())).on('error', failing),
    );
    assert.equal(response.statusCode, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  it('has the command line', () => {
    const command = join(modules, 'staffing-api/scripts/bin/staffing.cjs');
    assert.match(execFileSync(command, ['--help'], { cwd: folder, encoding: 'utf8' }), /tenant/);
  });
});

describe('the examples of docs/deploy', () => {
  const read = (name: string): string => readFileSync(join(root, 'docs/deploy', name), 'utf8');
  const variables: string = readFileSync(join(root, 'docs/configuration.md'), 'utf8');

  it('name variables that the server has', () => {
    const { services } = parse(read('compose.yaml'), { merge: true });
    const unit = [...read('staffing-api.service').matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map(assignment => assignment.split('=')[0] ?? ''),
    );
    const image = [...read('Dockerfile').matchAll(/(?:^ENV| {4})\s*([A-Z_]+)=/gm)].map(([, name = '']) => name);
    const names = [...Object.keys(services['api-1'].environment), ...unit, ...image].filter(
      name => name !== 'NODE_ENV',
    );
    assert.ok(names.length > 8);
    for (const name of names) assert.ok(variables.includes(`| \`${name}\``), name);
  });

  it('start the image alone with a configuration that the server accepts', () => {
    const [, lines = ''] = /^ENV ((?:.*\\\n)*.*)/m.exec(read('Dockerfile')) ?? [];
    const image = Object.fromEntries([...lines.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]));
    const alone = { DATABASE_URL: 'postgres://staffing:secret@db.example/staffing', TRUST_PROXY: '10.0.0.7' };
    assert.equal(readConfig({ ...image, ...alone }).production, true);
  });

  it('copy into the image what the package of the server is built from', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    for (const name of ['src', 'generated', 'package.json']) assert.ok(copied.includes(name), name);
    const [, started = ''] = /^CMD .*"(\S+)\.js"\]$/m.exec(read('Dockerfile')) ?? [];
    assert.ok(existsSync(join(root, `${started}.ts`)), started);
    const allowed = read('Dockerfile.dockerignore');
    for (const name of copied) assert.ok(allowed.includes(`!${name}`), `${name} is not ignored`);
  });
});

describe('the flags of Node.js', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');

  it('are the same in the package, with npm start and in the image', () => {
    assert.ok(JSON.parse(read('package.json')).scripts.start.includes(`exec node ${nodeFlags.join(' ')} --require`));
    assert.ok(
      read('docs/deploy/Dockerfile').includes(
        `CMD ${JSON.stringify(['node', ...nodeFlags, 'src/main.js']).replaceAll(',', ', ')}`,
      ),
    );
  });
});
