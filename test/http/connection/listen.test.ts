import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { generate } from 'selfsigned';
import type { Call } from '../../../src/core/call/call.ts';
import type { Reply } from '../../../src/core/call/reply.ts';
import { listen } from '../../../src/http/connection/listen.ts';
import { rows, startApi } from '../support/api.ts';

const line = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: demo.test\r\n';
const statusOf = (response: string): number => Number(response.slice(9, 12));

/** The body of a response in Latin-1, decompressed. */
const bodyOf = (response: string): string => {
  const body = Buffer.from(response.slice(response.indexOf('\r\n\r\n') + 4), 'latin1');
  return (/^content-encoding: gzip\r$/im.test(response) ? gunzipSync(body) : body).toString();
};

describe('one port', () => {
  it('serves HTTPS and rejects plain HTTP, in any pieces', async () => {
    const api = await startApi();
    assert.equal(statusOf(await api.raw(`${line}Connection: close\r\n\r\n`)), 200);
    const plain = await api.raw(`${line}Accept-Encoding: identity\r\n\r\n`, { plain: true });
    assert.match(plain, /^HTTP\/1\.1 403 .*"https_required"/s);
    assert.match(plain, /connection: close/i);
    const socket = connect(api.port, '127.0.0.1');
    let response = '';
    socket.on('data', chunk => {
      response += chunk.toString('latin1');
    });
    for (const character of `${line}Accept-Encoding: identity\r\n\r\n`) {
      socket.write(character);
      await new Promise(resolve => setImmediate(resolve));
    }
    await once(socket, 'close');
    assert.equal(statusOf(response), 403);
    await api.close();
  });

  it('presents another certificate once it is certified anew', async () => {
    const api = await startApi();
    const names = async () => {
      const socket = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    assert.equal(await names(), 'localhost');
    const made = await generate([{ name: 'commonName', value: 'other.test' }], { keyType: 'ec', curve: 'P-256' });
    api.listener.certify({ cert: made.cert, key: made.private });
    assert.equal(await names(), 'other.test');
    await api.close();
  });

  it('serves several requests over one connection', async () => {
    const api = await startApi();
    const response = await api.raw(`${line}\r\n${line}Connection: close\r\n\r\n`);
    assert.equal(response.match(/HTTP\/1\.1 200/g)?.length, 2);
    await api.close();
  });

  it('responds to a client that closes its side after the request', async () => {
    const api = await startApi();
    const socket = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.end(`${line}Connection: close\r\n\r\n`);
    let response = '';
    socket.on('data', chunk => {
      response += chunk.toString('latin1');
    });
    await once(socket, 'close');
    assert.equal(statusOf(response), 200);
    await api.close();
  });

  it('survives connections that say nothing, nonsense or half of something', async () => {
    const api = await startApi();
    for (const bytes of ['', '\0', '\u0016', '\u0016\u0003\u0001', 'GET', 'x'.repeat(100)]) {
      const socket = connect(api.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => {});
      if (bytes) socket.write(Buffer.from(bytes, 'latin1'));
      socket.destroy();
    }
    assert.equal((await api.call('/api/v1/clients')).status, 200);
    await api.close();
  });

  it('responds to what does not arrive in time with 408 in JSON, and closes', { timeout: 60_000 }, async () => {
    const head = 'POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nAuthorization: Bearer good\r\n';
    const json = 'Content-Type: application/json\r\n';
    const halves: [half: string, times: object][] = [
      [head, { headers: 50, check: 10 }],
      [`${head}${json}Content-Length: 10\r\n\r\n{"a"`, { whole: 50 }],
      [`${head}${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{`, { whole: 50 }],
    ];
    for (const [half, times] of halves) {
      const api = await startApi({ times });
      const response = await api.raw(half);
      assert.equal(statusOf(response), 408);
      assert.equal(JSON.parse(bodyOf(response)).code, 'request_timeout');
      assert.match(response, /x-rate-limit-remaining: \d+\r\n/i);
      // What arrives at once is in time on the slowest machine, except for headers: their time begins before they are sent.
      if ('whole' in times) assert.equal((await api.call('/api/v1/clients')).status, 200);
      await api.close();
    }
  });

  it('waits for responses that take longer than a request may take to arrive', async () => {
    const whole = 50;
    // Timers of one length end in the order in which they began: the request's own is over before this one.
    const respond = () => new Promise<typeof rows>(resolve => setTimeout(() => resolve(rows), whole));
    const api = await startApi({ times: { whole }, respond });
    assert.equal((await api.call('/api/v1/clients')).status, 200);
    assert.equal((await api.call('/api/v1/clients', { method: 'POST', body: '{}' })).status, 200);
    assert.equal((await api.call('/api/v1/clients/7', { method: 'DELETE' })).status, 200);
    await api.close();
  });

  it('cuts off a response that its client stops taking, and waits for its own', { timeout: 20_000 }, async () => {
    const reading = 400;
    const whole = Buffer.alloc(64_000_000);
    const { promise: called, resolve } = Promise.withResolvers<AbortSignal>();
    const respond = async ({ id, leave }: Call): Promise<Reply> => {
      // The connection's timer is over before this one, which begins later.
      if (id === 0) return new Promise(done => setTimeout(() => done(rows), reading));
      resolve(leave());
      return { status: 200, headers: {}, body: { kind: 'bytes', type: 'text/plain', bytes: whole } };
    };
    const api = await startApi({ times: { reading }, respond });
    assert.equal((await api.call('/api/v1/clients')).status, 200);
    const socket = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {});
    const headers = 'Host: demo.test\r\nAuthorization: Bearer good\r\nAccept-Encoding: identity\r\n';
    socket.write(`GET /api/v1/clients/7 HTTP/1.1\r\n${headers}\r\n`);
    const signal = await called;
    if (!signal.aborted) await once(signal, 'abort');
    let taken = 0;
    socket.on('data', chunk => {
      taken += chunk.length;
    });
    if (!socket.closed) await once(socket, 'close');
    assert.ok(taken < whole.length, String(taken));
    await api.close();
  });

  const broken: [label: string, request: string, status: number, code: string][] = [
    [
      'an address that is too long',
      `GET /api/v1/clients?a=${'x'.repeat(8200)} HTTP/1.1\r\nHost: demo.test\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n`,
      414,
      'uri_too_long',
    ],
    [
      'an address that is far too long',
      `GET /api/v1/clients?a=${'x'.repeat(50_000)} HTTP/1.1\r\nHost: demo.test\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n`,
      414,
      'uri_too_long',
    ],
    [
      'headers that are too large',
      `GET /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['what is not HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['an unknown method', 'HELLO / HTTP/1.1\r\nHost: demo.test\r\n\r\n', 405, 'method_not_allowed'],
    [
      'an unknown method of a client that takes no gzip',
      'HELLO / HTTP/1.1\r\nHost: demo.test\r\nAccept-Encoding: identity\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    [
      'a tunnel of a client that takes no gzip',
      'CONNECT other.test:443 HTTP/1.1\r\nHost: demo.test\r\nAccept-Encoding: identity\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    [
      'two lengths',
      `POST / HTTP/1.1\r\nHost: demo.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    ['a tunnel', 'CONNECT other.test:443 HTTP/1.1\r\nHost: demo.test\r\n\r\n', 405, 'method_not_allowed'],
  ];
  for (const [label, request, status, code] of broken) {
    it(`responds to ${label} with ${status} in JSON`, async () => {
      const api = await startApi();
      const response = await api.raw(request);
      assert.equal(statusOf(response), status);
      const body = JSON.parse(bodyOf(response));
      assert.deepEqual([body.code, body.documentation_url], [code, `/api/v1/docs/errors.html#${code}`]);
      assert.match(response, /accept-encoding: gzip\r\n/i);
      assert.match(response, /access-control-allow-origin: \*\r\n/i);
      assert.equal(/content-encoding: gzip\r\n/i.test(response), !request.includes('identity'));
      assert.match(response, /x-content-type-options: nosniff/i);
      assert.match(response, /x-rate-limit-remaining: \d+\r\n/i);
      await api.close();
    });
  }

  it('lets a client continue that asks, and meets other expectations by responding', async () => {
    const api = await startApi();
    const headers = 'Host: demo.test\r\nAuthorization: Bearer good\r\nConnection: close\r\n';
    const post = `POST /api/v1/clients HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 2\r\n`;
    const response = await api.raw(`${post}Expect: 100-continue\r\n\r\n{}`);
    assert.match(response, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
    assert.equal(statusOf(await api.raw(`${post}Expect: something\r\n\r\n{}`)), 200);
    await api.close();
  });

  it('tells of a port that is taken', async () => {
    const api = await startApi();
    await assert.rejects(
      listen(() => {}, { port: api.port, host: '127.0.0.1', tls: null, grace: 1 }),
      { code: 'EADDRINUSE' },
    );
    await api.close();
  });
});

describe('closing', () => {
  it('lets requests under way finish, closes their connections after, and takes no new ones', async () => {
    let arrived = () => {};
    let finish = () => {};
    const arrival = new Promise<void>(resolve => {
      arrived = resolve;
    });
    const gate = new Promise<void>(resolve => {
      finish = resolve;
    });
    const listener = await listen(
      (_, response) => {
        arrived();
        void gate.then(() => response.end('done'));
      },
      { port: 0, host: '127.0.0.1', tls: null, grace: 5 },
    );
    const busy = fetch(`http://127.0.0.1:${listener.port}/`);
    await arrival;
    const closed = listener.close();
    await assert.rejects(fetch(`http://127.0.0.1:${listener.port}/`));
    finish();
    const last = await busy;
    assert.equal(await last.text(), 'done');
    assert.equal(last.headers.get('connection'), 'close');
    await closed;
  });

  it('closes idle connections at once, silent ones too', { timeout: 60_000 }, async () => {
    const hour = 3_600_000;
    const api = await startApi({ grace: hour / 1000, times: { silence: hour, headers: hour, keepAlive: hour } });
    await api.call('/api/v1/clients');
    const silent = connect(api.port, '127.0.0.1');
    await once(silent, 'connect');
    await Promise.all([api.listener.close(), once(silent, 'close')]);
    api.agent.destroy();
  });

  it('cuts what has not finished when the grace is over', { timeout: 60_000 }, async () => {
    const { promise: arrival, resolve: arrived } = Promise.withResolvers<void>();
    const listener = await listen(() => arrived(), { port: 0, host: '127.0.0.1', tls: null, grace: 0.05 });
    const stuck = fetch(`http://127.0.0.1:${listener.port}/`);
    const failed = assert.rejects(stuck);
    await arrival;
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    await listener.close();
    await failed;
    socket.destroy();
  });
});
