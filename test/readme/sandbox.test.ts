import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { scratchUrl } from '../support/database.ts';
import { blocksOf, chapterOf, type PrintedServer, startPrintedServer } from './server.ts';

describe('a newcomer who follows what is printed, on a server that has started', () => {
  let server: PrintedServer;
  let token: string;
  before(async () => {
    server = await startPrintedServer();
  });
  after(() => server.close());

  it("creates README's sandbox, moves its clock and resets it, without a restart and with the same authority", async () => {
    const authority = () => server.run('cat data/tls/ca.pem');
    const trusted = await authority();
    const [commands = ''] = blocksOf(chapterOf('README.md', 'Sandbox'), 'sh');
    const printed = await server.run(`${commands}\nprintf '%s' "$TOKEN" > ${join(server.folder, 'token')}`);
    assert.match(printed, /Tenant trial is available at trial\.localhost\n/);
    assert.match(printed, /"now": "\d{4}-/);
    assert.match(printed, /Sandbox trial is as new/);
    assert.equal(await authority(), trusted);
    token = await server.run(`cat ${join(server.folder, 'token')}`);
  });

  it("keeps a copy of the demo tenant with README's program, started as printed", async () => {
    const chapter = chapterOf('README.md', 'Keeping another system in sync');
    const [program = ''] = blocksOf(chapter, 'js');
    const [line = ''] = blocksOf(chapter, 'sh');
    writeFileSync(join(server.folder, 'sync.mjs'), program);
    const [, demo = ''] = /\n(ey[\w.-]+)\n/.exec(server.greeting) ?? [];
    const written = new Promise<void>(resolve => {
      const watcher = watch(server.folder, () => {
        if (!existsSync(join(server.folder, 'copy.json'))) return;
        watcher.close();
        resolve();
      });
    });
    const env = { ...server.environment, TOKEN: demo };
    const child = spawn('bash', ['-c', `exec env ${server.adapt(line)}`], {
      env,
      cwd: server.folder,
      stdio: 'inherit',
    });
    const ended = once(child, 'exit').then(([status]) => assert.fail(`It ended with ${status}.`));
    await Promise.race([written, ended]);
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
    await once(child, 'close');
  });

  it('exports a month of the demo tenant to LODAS as printed', async () => {
    const [commands = ''] = blocksOf(chapterOf('docs/payroll.md', 'Files for payroll programs'), 'sh');
    const [, demo = ''] = /\n(ey[\w.-]+)\n/.exec(server.greeting) ?? [];
    await server.run(commands, { TOKEN: demo }, 'folder');
    const file = readFileSync(join(server.folder, 'lodas.txt'), 'latin1');
    const [head = '', rows = ''] = file.split('[Bewegungsdaten]\r\n');
    assert.match(head, /^\[Allgemein\]\r\nZiel=LODAS\r\n.*\r\nBeraterNr=1234567\r\nMandantenNr=12345\r\n/);
    const lines = rows.split('\r\n');
    assert.equal(lines.pop(), '');
    assert.ok(lines.length > 100);
    for (const line of lines) assert.match(line, /^1;01\/\d\d\/\d{4};\d+,\d\d;[12];\d{3};E-\d{4};$/);
  });

  it("sends the guide's first request as printed", async () => {
    const [line = ''] = blocksOf(chapterOf('spec/guide.md', 'Authentication'), 'sh');
    const command = `export CURL_CA_BUNDLE=data/tls/ca.pem URL=https://trial.localhost:8443/api/v1\n${line}`;
    const clients = JSON.parse(await server.run(command, { TOKEN: token }));
    assert.deepEqual(Object.keys(clients[0]), ['id', 'company']);
  });

  it('reaches the sandbox where its name does not resolve: with curl, urllib and fetch', async () => {
    const chapter = chapterOf('docs/clients.md', 'Names below localhost');
    const [curl = '', python = '', node = ''] = blocksOf(chapter, 'sh');
    const [urllib = ''] = blocksOf(chapter, 'python');
    const [hook = '', fetching = ''] = blocksOf(chapter, 'js');
    for (const [name, program] of [
      ['me.py', urllib],
      ['localhost.mjs', hook],
      ['me.mjs', fetching],
    ] as const)
      writeFileSync(join(server.folder, name), server.adapt(program));
    const run = (line: string) => server.run(line, { TOKEN: token }, 'folder');
    assert.equal(JSON.parse(await run(curl)).tenant.slug, 'trial');
    assert.equal(await run(python), 'trial\n');
    assert.equal(await run(node), 'trial\n');
  });

  it('pays August, corrects a shift in September and pays September, each sum as printed', async () => {
    const chapter = chapterOf('docs/payroll.md', 'Correct a paid month');
    const results = blocksOf(chapter, 'csv');
    const mark = "printf '\\n--\\n'";
    // In one shell, as a reader has it.
    const commands = blocksOf(chapter, 'sh').map(block => block.replace(/^api GET .*csv.*$/gm, `${mark}\n$&\n${mark}`));
    const printed = await server.run(commands.join(''), { TOKEN: token });
    const shown = printed.split('\n--\n').filter((_, index) => index % 2 === 1);
    assert.deepEqual(
      shown.map(part => `${part.replaceAll('\r', '').trimEnd()}\n`),
      results,
    );
    assert.match(printed, /"amount": -18.75,\s*"currency": "EUR"/);
  });
});

describe('a newcomer who follows what is printed, on a Postgres server', () => {
  let server: PrintedServer;
  before(async () => {
    const url = await scratchUrl();
    server = await startPrintedServer({ DATABASE_URL: url }, 'token issue <tenant> <api user>\n');
  });
  after(() => server.close());

  it("creates the demo tenant and gets the response to README's first request", async () => {
    const chapter = chapterOf('README.md', 'A first request');
    const [first = '', create = ''] = blocksOf(chapter, 'sh');
    const [expected = ''] = blocksOf(chapter, 'json');
    assert.ok(server.greeting.includes(`There is no tenant. One with sample data: ${create}`), server.greeting);
    const printed = await server.run(create);
    assert.match(printed, /Tenant demo is available at demo\.localhost, localhost\n/);
    const issue = 'npm run --silent staffing -- token issue demo demo';
    assert.ok(chapter.includes(`\`${issue}\``));
    const [token = ''] = /ey[\w.-]+/.exec(await server.run(issue)) ?? [];
    assert.deepEqual(JSON.parse(await server.run(first, { TOKEN: token })), JSON.parse(expected));
  });
});
