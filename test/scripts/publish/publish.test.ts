import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { problemsOf } from '../../../scripts/publish/check.ts';
import { publish } from '../../../scripts/publish/openapi.ts';
import {
  type Api,
  apiOf,
  compareApis,
  publishedFolder,
  readGenerated,
  readPublished,
} from '../../../scripts/publish/published.ts';
import { temporaryFolder } from '../generate/support.ts';
import { breaking, compatible, generated, type Mutation, versionOf } from './mutations.ts';

const [removed, added] = [breaking[0] as Mutation, compatible[0] as Mutation];

describe('npm run publish:openapi', () => {
  const [outDir, publishedDir] = [temporaryFolder(), temporaryFolder()];
  const publishApi = (api: Api, replace = false) => publish({ api, outDir, publishedDir, replace });
  const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

  it('writes the document in both formats, its part for clients, the explorer with what it loads, and the changelog', async () => {
    const folder = await publishApi(versionOf('1.0.0'));
    assert.equal(folder, join(outDir, '1.0.0'));
    const document = JSON.parse(read(folder, 'openapi.json'));
    assert.deepEqual(document.paths, generated.document.paths);
    assert.equal(document.info.version, '1.0.0');
    assert.deepEqual(parse(read(folder, 'openapi.yaml')).info, document.info);
    const clients = JSON.parse(read(folder, 'openapi.client.json'));
    const kept = Object.keys(document.paths).filter(path => !path.endsWith('/import'));
    assert.deepEqual(Object.keys(clients.paths), kept);
    const types = [...read(folder, 'openapi.client.json').matchAll(/"content": \{\s+"([^"]+)"/g)].map(
      ([, type]) => type,
    );
    assert.deepEqual([...new Set(types)].sort(), ['*/*', 'application/json']);
    assert.deepEqual(clients.components.schemas.Client, document.components.schemas.Client);
    assert.ok(!('CsvListing' in clients.components.schemas));
    const page = read(folder, 'index.html');
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    assert.ok(links.length > 0);
    for (const link of links.filter(link => !link.startsWith('data:'))) assert.ok(existsSync(join(folder, link)), link);
    for (const [, link = ''] of read(folder, 'llms.txt').matchAll(/\]\(([^)]+)\)/g))
      assert.ok(existsSync(join(folder, link)), link);
    assert.match(JSON.parse(read(folder, 'postman.json')).info.schema, /v2\.1\.0/);
    assert.match(read(folder, 'docs/errors.html'), /<a href="\.\.\/index\.html">Explorer<\/a>/);
    assert.match(read(folder, 'CHANGELOG.md'), /The first published version/);
  });

  it('keeps what has been published: the next version is compared with it', async () => {
    const published = readPublished(publishedDir);
    assert.ok(published);
    assert.deepEqual(compareApis(published, generated), []);
    const changes = read(await publishApi(versionOf('1.1.0', added)), 'CHANGELOG.md');
    assert.match(changes, /^# 1\.1\.0, compared with 1\.0\.0$/m);
    assert.match(changes, /## Compatible changes\n\n- GET \/new: the operation is new/);
    assert.doesNotMatch(changes, /Breaking/);
    assert.equal(readPublished(publishedDir)?.document.info.version, '1.1.0');
  });

  it('rejects a version that is too low for what has changed, and writes nothing', async () => {
    await assert.rejects(publishApi(versionOf('1.1.1', removed)), /needs 2\.0\.0 or higher/);
    await assert.rejects(publishApi(versionOf('1.1.0', removed)), /published 1\.1\.0/);
    await assert.rejects(publishApi(versionOf('1.0.9', added)), /published 1\.1\.0, and has version 1\.0\.9/);
    assert.ok(!existsSync(join(outDir, '1.1.1')));
    assert.equal(readPublished(publishedDir)?.document.info.version, '1.1.0');
  });

  it('publishes a breaking change as a major version, named first in the changelog', async () => {
    const changes = read(await publishApi(versionOf('2.0.0', removed)), 'CHANGELOG.md');
    assert.match(
      changes,
      /^# 2\.0\.0, compared with 1\.1\.0\n\n## Breaking changes\n\n- GET \/clients: the operation has been removed/,
    );
  });

  it('leaves the files of a version that is published again unchanged', async () => {
    const filesOf = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(({ parentPath, name }) => [join(parentPath, name), read(parentPath, name)]);
    const before = [...filesOf(outDir), ...filesOf(publishedDir)];
    await publishApi(versionOf('2.0.0', removed));
    assert.deepEqual([...filesOf(outDir), ...filesOf(publishedDir)], before);
  });

  it('replaces a version that nobody uses on request, and compares the new one with the version before it', async () => {
    const changes = read(await publishApi(versionOf('2.0.0'), true), 'CHANGELOG.md');
    assert.match(
      changes,
      /^# 2\.0\.0, compared with 1\.1\.0\n\n## Breaking changes\n\n- GET \/new: the operation has been removed/,
    );
    assert.deepEqual(compareApis(readPublished(publishedDir) as Api, generated), []);
    await assert.rejects(publishApi(versionOf('1.1.1'), true), /published 1\.1\.0/);
  });

  it('publishes the committed document after the committed version, and again with the same changelog', async () => {
    const [committedDir, bundles] = [temporaryFolder(), temporaryFolder()];
    cpSync(publishedFolder, committedDir, { recursive: true });
    const again = () => publish({ api: readGenerated(), outDir: bundles, publishedDir: committedDir, replace: false });
    const changes = read(await again(), 'CHANGELOG.md');
    assert.equal(read(await again(), 'CHANGELOG.md'), changes);
  });
});

describe('the committed version', () => {
  const textOf = (path: string) => readFileSync(path, 'utf8');
  const versionIn = (path: string) => JSON.parse(textOf(path)).version;

  it('is one, of the package, both documents and the changelog; the client has that of the document', () => {
    const version = versionIn('package.json');
    assert.equal(versionIn('package-lock.json'), version);
    for (const name of ['openapi', 'administration'])
      assert.equal(JSON.parse(textOf(`generated/${name}.json`)).info.version, version, name);
    assert.equal(/^## (\S+)/m.exec(textOf('CHANGELOG.md'))?.[1], version);
  });

  it('is above the published one, or its document is the published one', () => {
    assert.deepEqual(problemsOf(readPublished() ?? assert.fail(), readGenerated()), []);
  });

  // biome-ignore lint/suspicious/noExplicitAny: the document is changed in place
  type Any = any;

  it('is needed by every change of a published document, be it of a description', () => {
    const published = readGenerated();
    const described: Any = structuredClone(published.document);
    described.info.description = 'Another one.';
    assert.deepEqual(problemsOf(published, published), []);
    const now = apiOf(described);
    assert.match(problemsOf(published, now).join('\n'), /differs from the published/);
    described.info.version = '99.0.0';
    assert.deepEqual(problemsOf(published, apiOf(described)), []);
  });
});
