import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readGenerated } from '../../../scripts/publish/published.ts';
import { llmsText } from '../../../src/http/documents/explorer/llms.ts';
import { explorerFiles } from '../../../src/http/documents/explorer/page.ts';
import { codeOf, startApi } from '../support/api.ts';

describe('the explorer', async () => {
  const api = await startApi();
  after(api.close);
  const get = (path: string, headers = {}, method = 'GET') => api.call(path, { token: null, headers, method });

  it('is a page for everyone, of files of this server only', async () => {
    const { status, headers, text } = await get('/api/v1/docs');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    assert.equal(links.filter(link => !link.startsWith('data:')).length, 3);
    for (const link of links.filter(link => !link.startsWith('data:'))) {
      const { pathname, host } = new URL(link, 'https://demo.test/api/v1/docs');
      assert.equal(host, 'demo.test');
      const file = await get(pathname);
      assert.equal(file.status, 200, pathname);
      assert.match(String(file.headers['content-type']), /^(text\/javascript|application\/json)/);
      assert.ok(file.text.length > 100);
    }
  });

  it('may load, run and ask what this server has, and nothing else', async () => {
    const { headers } = await get('/api/v1/docs');
    const policy = String(headers['content-security-policy']).split(';');
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"])
      assert.ok(policy.includes(rule), rule);
    assert.doesNotMatch(policy.join(), /https?:|\*|unsafe-eval/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  it('shows the published document', async () => {
    const [, url = ''] = /data-document="([^"]+)"/.exec((await get('/api/v1/docs')).text) ?? [];
    const { pathname } = new URL(url, 'https://demo.test/api/v1/docs');
    assert.equal((await get(pathname)).headers['content-type'], 'application/json; charset=utf-8');
  });

  it('has an ETag, responds to HEAD, and to other methods with 405', async () => {
    const { headers } = await get('/api/v1/docs/scalar/standalone.esm.js');
    const again = await get('/api/v1/docs/scalar/standalone.esm.js', { 'If-None-Match': headers.etag });
    assert.deepEqual([again.status, again.text], [304, '']);
    assert.equal((await get('/api/v1/docs', {}, 'HEAD')).status, 200);
    const refused = await get('/api/v1/docs', {}, 'POST');
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD']);
  });

  it('is where a plain GET of / leads', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await get('/', {}, method);
      assert.deepEqual([status, headers.location, text], [302, '/api/v1/docs', '']);
    }
    assert.equal(codeOf(await get('/', { Host: 'nobody.test' })), 'tenant_not_found');
  });

  it('tells readers that are programs where the documents are: the guide in Markdown, and the document', async () => {
    const { status, headers, text } = await get('/llms.txt');
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8']);
    const whole = llmsText(readGenerated().document, { guide: 'a', json: 'b', yaml: 'c', explorer: 'd' });
    assert.match(whole, /^# Workforce staffing API \d+\.\d+\.\d+\n\n> Multi-tenant REST API/);
    assert.match(whole, /\n- `clients`: Clients/);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    assert.equal(links.length, 4);
    for (const link of links) assert.equal((await get(link)).status, 200, link);
    assert.equal((await get('/llms.txt', {}, 'POST')).status, 405);
    assert.equal((await get('/llms.txt', { Host: 'nobody.test' })).status, 404);
  });

  it('has the guide in Markdown, as the document has it', async () => {
    const { status, headers } = await get('/api/v1/docs/guide.md');
    assert.deepEqual([status, headers['content-type']], [200, 'text/markdown; charset=utf-8']);
    const { document } = readGenerated();
    const text = String(explorerFiles(document, '../docs').get('guide.md')?.read());
    assert.equal(text, `${(document.info as { description?: string }).description}\n`);
    assert.match(text, /^# Authentication$/m);
  });

  it('leaves any other request of / to the API', async () => {
    for (const [path, method] of [
      ['/', 'POST'],
      ['/', 'PUT'],
      ['/', 'DELETE'],
      ['/', 'PATCH'],
      ['/?a=1', 'GET'],
      ['//', 'GET'],
      ['/.json', 'GET'],
      ['/api/v1', 'GET'],
      ['/api/v1/', 'GET'],
    ] as const)
      assert.equal((await get(path, {}, method)).status, 401, `${method} ${path}`);
    assert.equal((await get('/', {}, 'OPTIONS')).status, 204);
  });

  it('is of a tenant, and at its own paths only', async () => {
    assert.equal(codeOf(await get('/api/v1/docs', { Host: 'nobody.test' })), 'tenant_not_found');
    for (const path of [
      '/api/v1/docs/',
      '/api/v1/docs/package.json',
      '/api/v1/docs/scalar/origin.json',
      '/api/v1/docs/../../package.json',
      '/docs',
    ])
      assert.equal((await get(path)).status, 401, path);
  });
});
