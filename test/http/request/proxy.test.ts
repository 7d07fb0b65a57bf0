import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { trustProxies } from '../../../src/http/request/proxy.ts';
import { codeOf, startApi } from '../support/api.ts';

describe('without trusted proxies', async () => {
  const api = await startApi();
  after(api.close);

  it('X-Forwarded-* count for nothing', async () => {
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.9', Forwarded: 'proto=https' };
    assert.equal(codeOf(await api.call('/api/v1/clients', { plain: true, headers })), 'https_required');
    assert.equal((await api.call('/api/v1/clients', { headers: { 'X-Forwarded-Proto': 'http' } })).status, 200);
  });
});

describe('behind a trusted proxy', async () => {
  const api = await startApi({ proxies: trustProxies(['127.0.0.0/8']) });
  after(api.close);

  const cases: [label: string, plain: boolean, proto: string | null, status: number][] = [
    ['plain HTTP that came as HTTPS', true, 'https', 200],
    ['plain HTTP that came as HTTPS through two proxies', true, 'HTTPS, https', 200],
    ['plain HTTP that came as HTTP', true, 'http', 403],
    ['plain HTTP that came as HTTP first', true, 'http, https', 403],
    ['plain HTTP that nothing is said of', true, null, 403],
    ['plain HTTP that came as something else', true, 'httpss', 403],
    ['HTTPS that came as HTTP', false, 'http', 403],
    ['HTTPS that came as HTTPS', false, 'https', 200],
    ['HTTPS that nothing is said of', false, null, 200],
  ];
  for (const [label, plain, proto, status] of cases) {
    it(`${label} gets ${status}`, async () => {
      const headers = proto === null ? {} : { 'X-Forwarded-Proto': proto };
      assert.equal((await api.call('/api/v1/clients', { plain, headers })).status, status);
    });
  }
});

describe('addressOf', () => {
  const request = (remoteAddress: string, forwarded?: string) =>
    ({ socket: { remoteAddress }, connection: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as never;
  const proxies = trustProxies(['10.0.0.0/8', '2001:db8::/32']);
  const cases: [label: string, peer: string, forwarded: string | undefined, want: string][] = [
    ['the peer', '192.0.2.1', undefined, '192.0.2.1'],
    ['the peer, whatever it says', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['the client of a proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['the client of a proxy that came in IPv6 form', '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['the nearest that is no proxy', '10.0.0.1', '1.2.3.4, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['an IPv4 peer in IPv6 form', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
  ];
  for (const [label, peer, forwarded, want] of cases) {
    it(`is ${label}, again and again`, () => {
      for (let time = 0; time < 3; time++) assert.equal(proxies.addressOf(request(peer, forwarded)), want);
    });
  }
});
