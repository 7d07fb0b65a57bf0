import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { generate } from 'selfsigned';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { isPublic, type ResolveHost } from '../../src/automations/target.ts';
import { createWebhooks, type WebhookMessage, type WebhookOptions } from '../../src/automations/webhook.ts';
import { Receiver } from '../support/receiver.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const replaced = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Resolves every host name to these IP addresses. */
const resolveTo =
  (...addresses: readonly string[]): ResolveHost =>
  (_, __, done) =>
    done(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe('a webhook', () => {
  const receiver = new Receiver();
  const { received } = receiver;
  let respond = (response: ServerResponse): void => void response.writeHead(204).end();
  let connections = 0;
  let port = 0;
  receiver.respond = ({ response }) => respond(response);
  receiver.server.on('connection', () => {
    connections += 1;
  });

  before(async () => {
    await receiver.listen();
    ({ port } = receiver);
  });
  beforeEach(() => {
    received.length = 0;
    connections = 0;
    respond = response => void response.writeHead(204).end();
  });
  after(() => receiver.close());

  const message = (url: string, changes: Partial<WebhookMessage> = {}): WebhookMessage => ({
    url,
    headers: { 'X-Key': 'k' },
    id: 'msg_1',
    timestamp: new Date(),
    payload:
      '{"type":"event.starts_in","timestamp":"2031-05-02T10:00:00Z","data":{"event_id":7,"name":"Jürgen","start":"2031-05-02T11:00:00Z"}}',
    secrets: [secret],
    ...changes,
  });
  const open: WebhookOptions = { networks: ['127.0.0.0/8'], http: true, timeout: 5000 };
  const send = (changes: Partial<WebhookOptions>, url: string, more: Partial<WebhookMessage> = {}) =>
    createWebhooks({ ...open, ...changes })(message(url, more));
  const own = () => `http://127.0.0.1:${port}/hook?a=b`;

  describe('is sent', () => {
    it('by POST, as JSON, with a signature that the library of Standard Webhooks verifies', async () => {
      assert.deepEqual(await send({}, own()), { status: 204, error: null });
      const [{ method, headers, body } = assert.fail()] = received;
      assert.deepEqual([method, headers['content-type'], headers['x-key']], ['POST', 'application/json', 'k']);
      assert.equal(headers['webhook-id'], 'msg_1');
      const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
      assert.deepEqual(verified, JSON.parse(message('').payload));
      assert.match(String(headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/);
      const wrong = () => new Webhook(replaced).verify(body, headers as Record<string, string>);
      assert.throws(wrong, WebhookVerificationError);
      const changed = () => new Webhook(secret).verify(`${body} `, headers as Record<string, string>);
      assert.throws(changed, WebhookVerificationError);
    });

    it('with a signature for each secret while one replaces another', async () => {
      await send({}, own(), { secrets: [secret, replaced] });
      const [{ headers, body } = assert.fail()] = received;
      for (const each of [secret, replaced]) new Webhook(each).verify(body, headers as Record<string, string>);
    });

    it('without configured headers that would change its transport', async () => {
      await send({}, own(), {
        headers: { Host: 'other', 'Content-Length': '1', 'Content-Type': 'text/html', Connection: 'upgrade' },
      });
      const [{ headers } = assert.fail()] = received;
      assert.deepEqual([headers.host, headers['content-type']], [`127.0.0.1:${port}`, 'application/json']);
      assert.equal(Number(headers['content-length']), Buffer.byteLength(message('').payload));
    });

    it('over TLS to a host whose certificate is trusted, and to no other', async () => {
      const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
      const secure = createTlsServer({ key, cert }, (_, response) => void response.end()).listen(0, '127.0.0.1');
      await once(secure, 'listening');
      const outcome = await send({}, `https://127.0.0.1:${(secure.address() as AddressInfo).port}/`);
      secure.close();
      assert.deepEqual(outcome, { status: null, error: 'connection_failed' });
    });
  });

  describe('is accepted', () => {
    for (const status of [200, 201, 202, 204, 299])
      it(`by ${status}`, async () => {
        respond = response => void response.writeHead(status).end();
        assert.deepEqual(await send({}, own()), { status, error: null });
      });

    for (const status of [300, 304, 400, 404, 410, 429, 500, 503])
      it(`not by ${status}`, async () => {
        respond = response => void response.writeHead(status).end('why');
        assert.deepEqual(await send({}, own()), { status, error: 'not_accepted' });
      });

    it('not by a redirect, which is not followed', async () => {
      respond = response => void response.writeHead(307, { Location: own() }).end();
      assert.deepEqual(await send({}, own()), { status: 307, error: 'not_accepted' });
      assert.equal(received.length, 1);
    });

    it('without reading more than 64 KiB of the response', async () => {
      respond = response => {
        response.writeHead(200);
        const write = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', write).on('error', () => {});
        write();
      };
      assert.deepEqual(await send({}, own()), { status: 200, error: null });
    });
  });

  describe('fails', () => {
    it('with timeout if the response does not begin or end in time', async () => {
      respond = () => {};
      assert.deepEqual(await send({ timeout: 100 }, own()), { status: null, error: 'timeout' });
      respond = response => void response.writeHead(200).write('x');
      assert.deepEqual(await send({ timeout: 100 }, own()), { status: null, error: 'timeout' });
    });

    it('with connection_failed where nothing listens, or the connection breaks', async () => {
      const closed = createServer().listen(0, '127.0.0.1');
      await once(closed, 'listening');
      const { port: free } = closed.address() as AddressInfo;
      closed.close();
      await once(closed, 'close');
      assert.deepEqual(await send({}, `http://127.0.0.1:${free}/`), { status: null, error: 'connection_failed' });
      respond = response => void response.destroy();
      assert.deepEqual(await send({}, own()), { status: null, error: 'connection_failed' });
    });

    it('with connection_failed for a name that does not exist', async () => {
      const resolve: ResolveHost = (_, __, done) => done(new Error('ENOTFOUND'), []);
      assert.deepEqual(await send({ resolve }, 'http://nowhere.example/'), {
        status: null,
        error: 'connection_failed',
      });
    });
  });

  describe('is rejected, and nothing is sent,', () => {
    const closed = { networks: [], http: true };

    for (const host of [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0x7f.0.0.1',
      '0',
      '0.0.0.0',
      '127.0.0.1.',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      '[::127.0.0.1]',
      '[4000::1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fc00::1]',
      '[fd00:ec2::254]',
      '[ff02::1]',
      '10.0.0.1',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.1',
      '192.168.1.1',
      '169.254.169.254',
      '168.63.129.16',
      '[::ffff:168.63.129.16]',
      '100.64.0.1',
      '192.0.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ])
      it(`to ${host}`, async () => {
        const outcome = await send(closed, `http://${host}:${port}/`);
        assert.deepEqual(outcome, { status: null, error: 'target_refused' });
        assert.equal(connections, 0);
      });

    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['10.1.2.3'],
      ['169.254.169.254'],
      ['::ffff:127.0.0.1'],
      ['93.184.215.14', '127.0.0.1'],
      ['127.0.0.1', '93.184.215.14'],
    ])
      it(`to a name of ${addresses.join(' and ')}`, async () => {
        const outcome = await send({ ...closed, resolve: resolveTo(...addresses) }, `http://hooks.example:${port}/`);
        assert.deepEqual(outcome, { status: null, error: 'target_refused' });
        assert.equal(connections, 0);
      });

    it('to a host name that resolves to a public and then to a private address: it is looked up once', async () => {
      let asked = 0;
      const resolve: ResolveHost = (host, options, done) => {
        asked += 1;
        resolveTo(asked === 1 ? '127.0.0.2' : '127.0.0.1')(host, options, done);
      };
      // 127.0.0.2 represents a public address here; nothing listens there.
      const outcome = await send({ networks: ['127.0.0.2'], resolve }, `http://rebinding.example:${port}/`);
      assert.deepEqual(outcome, { status: null, error: 'connection_failed' });
      assert.deepEqual([asked, connections], [1, 0]);
    });

    it('over plain HTTP, unless that is allowed', async () => {
      assert.deepEqual(await send({ http: false }, own()), { status: null, error: 'https_required' });
      assert.equal(connections, 0);
    });
  });

  describe('is sent to networks that are allowed', () => {
    it('by name and by address, and to those alone', async () => {
      const networks = ['127.0.0.0/8', '10.1.0.0/16', '::1'];
      const resolve = resolveTo('127.0.0.1');
      assert.equal((await send({ networks, resolve }, `http://inside.example:${port}/`)).status, 204);
      assert.equal((await send({ networks }, own())).status, 204);
      const other = await send({ networks, resolve: resolveTo('10.2.0.1') }, `http://inside.example:${port}/`);
      assert.equal(other.error, 'target_refused');
    });
  });

  it('counts no metadata service of a cloud as public', () => {
    const services: readonly [source: string, ...addresses: string[]][] = [
      ['Amazon EC2 User Guide: instance metadata, DNS, time', '169.254.169.254', 'fd00:ec2::254', '169.254.169.253'],
      ['Amazon EC2 User Guide: Amazon Time Sync', '169.254.169.123', 'fd00:ec2::123'],
      ['Amazon ECS Developer Guide: task credentials', '169.254.170.2'],
      ['Amazon EKS User Guide: Pod Identity', '169.254.170.23', 'fd00:ec2::23'],
      ['Azure: What is IP address 168.63.129.16?', '168.63.129.16', '::ffff:168.63.129.16', '::ffff:a83f:8110'],
      ['Azure: Instance Metadata Service', '169.254.169.254'],
      ['Google Compute Engine: VM metadata', '169.254.169.254', 'fd20:ce::254'],
      ['Alibaba Cloud ECS: instance metadata', '100.100.100.200'],
      ['Oracle Cloud Infrastructure: instance metadata', '169.254.169.254', 'fd00:c1::a9fe:a9fe'],
      ['Oracle Cloud Infrastructure Classic: instance metadata', '192.0.0.192'],
      ['Tencent Cloud CVM: instance metadata', '169.254.0.23'],
      ['Volcengine ECS: instance metadata', '100.96.0.96'],
      ['Scaleway: instance metadata', '169.254.42.42', 'fd00:42::42'],
      ['OpenStack Nova: metadata service', '169.254.169.254', 'fe80::a9fe:a9fe'],
      ['DigitalOcean, Hetzner, IBM Cloud, Linode, Vultr: metadata', '169.254.169.254', 'fd00:a9fe:a9fe::1'],
    ];
    for (const [source, ...addresses] of services)
      for (const address of addresses) assert.ok(!isPublic(address), `${source}: ${address}`);
    assert.ok(isPublic('168.63.129.17'));
  });

  it('distinguishes public IP addresses from all others', () => {
    for (const address of ['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:8.8.8.8'])
      assert.ok(isPublic(address), address);
    for (const address of ['nonsense', '', 'fe80::1%eth0']) assert.ok(!isPublic(address), address);
  });
});
