import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { codeOf, startApi } from '../support/api.ts';
import { document } from '../support/document.ts';

describe('the published document', async () => {
  const api = await startApi();
  after(api.close);
  const get = (path: string, headers = {}, method = 'GET') => api.call(path, { token: null, headers, method });

  it('is JSON, for everyone, with the address asked as its only server', async () => {
    const response = await get('/api/v1/openapi.json', { Host: 'Demo.test:8443' });
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
    const { servers, ...rest } = JSON.parse(response.text);
    assert.deepEqual(
      servers.map(({ url }: { url: string }) => url),
      ['https://demo.test:8443/api/v1'],
    );
    const { servers: _, ...own } = document;
    assert.deepEqual(rest, own);
    assert.equal(response.text, JSON.stringify(JSON.parse(response.text), null, 2));
    const other = await get('/api/v1/openapi.json', { Host: 'other.test' });
    assert.equal(JSON.parse(other.text).servers[0].url, 'https://other.test/api/v1');
  });

  it('is YAML too', async () => {
    const response = await get('/api/v1/openapi.yaml');
    assert.equal(response.headers['content-type'], 'application/yaml; charset=utf-8');
    const json = await get('/api/v1/openapi.json');
    assert.deepEqual(parse(response.text), JSON.parse(json.text));
    const other = await get('/api/v1/openapi.yaml', { Host: 'other.test' });
    assert.equal(parse(other.text).servers[0].url, 'https://other.test/api/v1');
  });

  it('has an ETag and responds with 304', async () => {
    const { headers } = await get('/api/v1/openapi.json');
    const again = await get('/api/v1/openapi.json', { 'If-None-Match': headers.etag });
    assert.deepEqual([again.status, again.text], [304, '']);
  });

  it('responds to HEAD, and to other methods with 405', async () => {
    assert.equal((await get('/api/v1/openapi.json', {}, 'HEAD')).status, 200);
    const { status, headers } = await get('/api/v1/openapi.json', {}, 'DELETE');
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD']);
  });

  it('needs a tenant', async () => {
    assert.equal(codeOf(await get('/api/v1/openapi.json', { Host: 'nobody.test' })), 'tenant_not_found');
  });

  it('is at these two paths only', async () => {
    for (const path of [
      '/api/v1/openapi',
      '/api/v1/openapi.xml',
      '/api/v1/openapi.json/',
      '/openapi.json',
      '/api/v1/OpenAPI.json',
    ]) {
      assert.equal((await get(path)).status, 401, path);
    }
  });
});
