import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import type * as Package from '../../../scripts/client/index.ts';
import { packClient } from '../../../scripts/publish/client.ts';
import { Importer } from '../../imports/importer.ts';
import { blocksOf, chapterOf } from '../../readme/server.ts';
import type { App, Client } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { useApp } from '../../support/for-each-app.ts';
import { startTenantProxy, type TenantProxy } from '../../support/proxies/tenant.ts';

const root = resolve(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'scripts/client/README.md'), 'utf8');
const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];

/** What an integrator would write, by what type checking says of it; null: nothing. */
const uses: readonly [use: string, problem: RegExp | null][] = [
  [`await api.get('/clients', { filter: { status: 1, company: { like: 'a' }, zip: ['1', null] } })`, null],
  [`await api.get('/clients', { filter: { status: { gte: 1, lt: 2 }, updated_at: { gt: new Date() } } })`, null],
  [`await api.get('/clients', { filter: { dynamic_field_1001: { contains: 'x' } } })`, null],
  [`await api.get('/clients', { filter: { nonsense: 1 } })`, /nonsense/],
  [`await api.get('/clients', { filter: { status: 'active' } })`, /"integer"|number/],
  [`await api.get('/clients', { filter: { status: { like: 'a' } } })`, /like/],
  [`await api.get('/clients', { filter: { company: 7 } })`, /number/],
  [`await api.get('/clients', { query: { sort: ['-company', 'id'] } })`, null],
  [`await api.get('/clients', { query: { sort: ['-nonsense'] } })`, /nonsense/],
  [`const [a] = await api.get('/assignments', { query: { embed: ['employee'] } }); a?.employee?.lastname.length`, null],
  [`const [a] = await api.get('/assignments', { query: { embed: ['event'] } }); a?.employee`, /employee/],
  [`const [a] = await api.get('/assignments'); a?.employee`, /employee/],
  [`await api.get('/clients', { query: { embed: ['nonsense'] } })`, /nonsense/],
  [`await api.get('/clients', { query: { embed: ['contacts.nonsense'] } })`, /nonsense/],
  [
    `const one = await api.get('/contacts/{id}', { path: { id: 7 }, query: { embed: ['client.company'] } });
     one.client?.company satisfies string | undefined`,
    null,
  ],
  [
    `const one = await api.get('/contacts/{id}', { path: { id: 7 }, query: { embed: ['client.company'] } });
     one.client?.city`,
    /city/,
  ],
  [`const [a] = await api.get('/clients', { query: { fields: ['id', 'company'] } }); a?.company.length`, null],
  [`const [a] = await api.get('/clients', { query: { fields: ['id'] } }); a?.company`, /company/],
  [`for await (const event of api.list('/events', { query: { embed: ['functions'] } })) event.functions.length`, null],
  [`api.list('/clients/{id}', { path: { id: 7 } })`, /"\/clients\/\{id\}"/],
  [`await api.get('/clients/{id}')`, /./],
  [`await api.get('/clients/{id}', { path: { id: 'x' } })`, /number/],
  [`await api.get('/clientele')`, /"\/clientele"/],
  [`await api.post('/clients', { body: { company: 'A' }, query: { dry_run: true } })`, null],
  [`await api.post('/clients', { body: {} })`, /company/],
  [`await api.post('/clients', { body: { company: 1 } })`, /number/],
  [
    `const one = await api.get('/clients/{id}', { path: { id: 7 } }); await api.put('/clients/{id}', { path: { id: 7 }, body: one })`,
    null,
  ],
  [`(await api.post('/clients', { body: { company: 'A' } })).id satisfies number`, null],
  [`(await api.delete('/clients/{id}', { path: { id: 7 } })) satisfies undefined`, null],
  [`(await api.get('/assignments/{id}/status-map', { path: { id: 7 } })).statuses[0]?.allowed`, null],
  [`for await (const entry of api.changes({ change: ['created'] })) entry.position satisfies number`, null],
  [`api.changes({ change: ['made'] })`, /made/],
  [`api.changes({ resource: ['clientele'] })`, /clientele/],
  [
    `for await (const entry of api.changes({ resource: ['clients', 'events'], include: 'record' }))
       if (entry.resource === 'clients') entry.record?.company satisfies string | undefined`,
    null,
  ],
  [
    `for await (const { record } of api.changes({ resource: ['clients'], include: 'record' })) record?.nonsense`,
    /nonsense/,
  ],
  [`for await (const { record } of api.changes({ resource: ['clients'] })) record?.company`, /company/],
  [`(await api.csv('/clients', { query: { fields: ['id'] }, filter: { status: 1 } })) satisfies Blob`, null],
  [`await api.csv('/clients/{id}', { path: { id: 7 } })`, /"\/clients\/\{id\}"/],
  [`(await api.import('/clients', '', { query: { mode: 'create' } })).status satisfies string`, null],
  [`await api.import('/work-times', '')`, /work-times/],
  [`const error = new Error() as ApiError; error.code satisfies string | null; error.errors[0]?.field`, null],
];

describe('the client package, installed in an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  const { client, app }: { client: Client; app: App } = useApp(anyDatabase);
  let proxy: TenantProxy;
  let cut = (_: string): boolean => false;
  let installed: typeof Package;
  const newApi = () => installed.createClient({ baseUrl: proxy.url, token: client.token, wait: async () => {} });

  before(async () => {
    proxy = await startTenantProxy(app.port, client.tenant.slug, { cut: ({ method }) => cut(String(method)) });
    packClient(folder);
    const archives: string[] = [];
    // What it depends on, from this repository instead of the registry.
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
      const options = { cwd: join(root, 'node_modules', name), encoding: 'utf8' } as const;
      const packed = execFileSync(
        'npm',
        ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
        options,
      );
      archives.push(join(folder, packed.trim()));
    }
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const install = ['install', '--offline', '--no-audit', '--no-fund', '--silent', ...archives];
    execFileSync('npm', install, { cwd: folder, stdio: 'inherit' });
    const [printed = ''] = blocksOf(chapterOf('scripts/client/README.md', 'Client of the Staffing API'), 'sh');
    const env = { ...process.env, npm_config_offline: 'true' };
    execFileSync('bash', ['-euc', printed], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    installed = await import(pathToFileURL(join(folder, 'node_modules/staffing-client/dist/index.js')).href);
  });
  after(async () => {
    await proxy?.close();
    rmSync(folder, { recursive: true });
  });

  it("runs the README's program", async () => {
    writeFileSync(join(folder, 'example.ts'), example);
    const env = { ...process.env, API: proxy.url, TOKEN: client.token };
    const child = spawn(process.execPath, ['example.ts'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    assert.equal(code, 0);
    const [{ id } = { id: 0 }] = await newApi().get('/clients');
    assert.deepEqual(printed.trim().split('\n').slice(0, 4), [
      'Summer party Nordlicht Events Hamburg 0',
      '422 validation_failed name not_empty',
      `id,company | ${id},Nordlicht Events`,
      `created clients ${id} Hamburg`,
    ]);
  });

  it('reads all pages of a listing, each when it is needed', async () => {
    const api = newApi();
    for (let index = 0; index < 5; index++) await api.post('/functions', { body: { name: `Function ${index}` } });
    proxy.requested.length = 0;
    const seen: string[] = [];
    for await (const { name } of api.list('/functions', { query: { limit: 2, sort: ['name'], fields: ['name'] } })) {
      if (seen.length === 2) assert.equal(proxy.requested.length, 2);
      seen.push(name);
    }
    assert.deepEqual(
      seen.filter(name => name.startsWith('Function ')),
      ['Function 0', 'Function 1', 'Function 2', 'Function 3', 'Function 4'],
    );
    assert.equal(proxy.requested.length, Math.ceil(seen.length / 2));
  });

  it('writes once, though the response of the first attempt is lost', async () => {
    const api = newApi();
    let lost = 0;
    cut = method => method === 'POST' && lost++ === 0;
    const { id } = await api.post('/clients', { body: { company: 'Once' } });
    cut = () => false;
    assert.equal(lost, 2);
    const found = await api.get('/clients', { filter: { company: 'Once' } });
    assert.deepEqual(
      found.map(record => record.id),
      [id],
    );
  });

  it('throws errors with code, fields and request id', async () => {
    const error = await newApi()
      .get('/clients/{id}', { path: { id: 1 } })
      .then(
        () => null,
        caught => caught,
      );
    assert.ok(error instanceof installed.ApiError);
    assert.deepEqual([error.status, error.code], [404, 'not_found']);
    assert.match(String(error.requestId), /./);
    assert.match(String(error.documentationUrl), /^http.*\/api\/v1\/docs\/errors\.html#not_found$/);
  });

  it('follows changes from a cursor, which moves when the changes of a page have been taken', async () => {
    const api = newApi();
    const before = api.changes({ after: 'now', follow: false });
    for await (const _ of before) assert.fail('nothing has changed');
    const { id } = await api.post('/clients', { body: { company: 'Followed' } });
    const abort = new AbortController();
    const changes = api.changes({ after: String(before.cursor), signal: abort.signal });
    for await (const change of changes) {
      assert.deepEqual([change.resource, change.id, change.change], ['clients', id, 'created']);
      assert.equal(changes.cursor, before.cursor);
      break;
    }
    const waiting = (async () => {
      for await (const change of api.changes({ after: 'now', signal: abort.signal })) assert.fail(change.change);
    })();
    abort.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
  });

  it('uploads and downloads bytes', async () => {
    const api = newApi();
    const file = await api.post('/files', { body: 'A small text.', contentType: 'text/plain' });
    const content = await api.get('/files/{id}/content', { path: { id: file.id } });
    assert.equal(await content.text(), 'A small text.');
  });

  it('imports CSV, and reads it back as CSV', async () => {
    const api = newApi();
    const { id } = await api.import('/locations', 'name,external_id\r\nHall 7,L-7\r\n', { contentType: 'text/csv' });
    await new Importer(app).work(client);
    assert.equal((await api.get('/imports/{id}', { path: { id } })).status, 'done');
    const table = await api.csv('/locations', {
      query: { fields: ['name', 'external_id'] },
      filter: { name: 'Hall 7' },
    });
    assert.equal(table.type, 'text/csv;charset=utf-8;header=present');
    assert.equal(await table.text(), 'name,external_id\r\nHall 7,L-7\r\n');
  });

  describe('has types, by which the compiler', () => {
    const head = `import { type ApiError, createClient } from 'staffing-client';\nconst api = createClient({ baseUrl: '', token: '' });\n`;
    const fileOf = (index: number) => join(folder, `use-${index}.ts`);
    let program: ts.Program;

    before(() => {
      for (const [index, [use]] of uses.entries())
        writeFileSync(fileOf(index), `${head}${use};\nexport type { ApiError };\n`);
      symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
      program = ts.createProgram([join(folder, 'example.ts'), ...uses.keys().map(fileOf)], {
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2024,
        types: ['node'],
      });
    });

    const problemsOf = (file: string): string =>
      ts
        .getPreEmitDiagnostics(program, program.getSourceFile(file))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
        .join('\n');

    it("accepts the README's program", () => assert.equal(problemsOf(join(folder, 'example.ts')), ''));

    for (const [index, [use, problem]] of uses.entries())
      it(`${problem ? 'rejects' : 'accepts'} ${use.replaceAll(/\s+/g, ' ')}`, () => {
        if (problem) assert.match(problemsOf(fileOf(index)), problem);
        else assert.equal(problemsOf(fileOf(index)), '');
      });
  });
});
