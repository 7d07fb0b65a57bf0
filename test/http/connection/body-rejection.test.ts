import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type App, type Client, startApp } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Api, startApi } from '../support/api.ts';

const size = 32 * 1_048_576;
const chunk = 1_048_576;

describe('a body that is too large', () => {
  let api: Api;
  let app: App;
  let client: Client;
  before(async () => {
    api = await startApi();
    app = await startApp(await anyDatabase(), { files: { limit: chunk } });
    client = await app.newClient();
  });
  after(async () => {
    await api.close();
    await app.close();
  });

  /** Sends all of a body before it looks for the response, as simple clients do. */
  const sendWhole = async (socket: ReturnType<typeof connect>, head: string, body: Buffer): Promise<string> => {
    socket.pause();
    let failure: unknown = null;
    socket.on('error', error => {
      failure = error;
    });
    socket.write(head);
    for (let at = 0; at < body.length; at += chunk)
      await new Promise<void>(resolve => {
        socket.write(body.subarray(at, at + chunk), () => resolve());
      });
    const chunks: Buffer[] = [];
    socket.on('data', bytes => chunks.push(bytes)).resume();
    if (!socket.closed) await once(socket, 'close').catch(() => {});
    assert.equal(failure, null);
    return Buffer.concat(chunks).toString('latin1');
  };

  const head = 'Host: demo.test\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n';
  const json = Buffer.alloc(size, ' ');
  const kinds: [label: string, open: () => ReturnType<typeof connect>][] = [
    ['over TLS', () => connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false })],
  ];
  for (const [label, open] of kinds)
    it(`is rejected with a 413 that is read at the end of it, ${label}`, async () => {
      for (let run = 0; run < 4; run++) {
        const response = await sendWhole(
          open(),
          `POST /api/v1/clients HTTP/1.1\r\n${head}Content-Length: ${size}\r\n\r\n`,
          json,
        );
        assert.match(response, /^HTTP\/1\.1 413 .*connection: close/is);
      }
    });

  const headOf = (more: string) =>
    `POST /api/v1/files HTTP/1.1\r\nHost: ${client.tenant.slug}.test\r\nAuthorization: Bearer ${client.token}\r\nX-Forwarded-Proto: https\r\n${more}\r\n`;
  const toApp = () => connect({ port: app.port, host: '127.0.0.1' });

  it('is rejected with a 413 that is read, if it is a file', async () => {
    const response = await sendWhole(toApp(), headOf(`Content-Length: ${size}\r\n`), json);
    assert.match(response, /^HTTP\/1\.1 413 /);
  });

  it('is rejected with a 413 that is read, if it is a file of unknown length', async () => {
    const body = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), json, Buffer.from('\r\n0\r\n\r\n')]);
    assert.match(await sendWhole(toApp(), headOf('Transfer-Encoding: chunked\r\n'), body), /^HTTP\/1\.1 413 /);
  });

  it('is rejected with a 413 that is read, if it is a compressed file', async () => {
    const random = gzipSync(
      Buffer.alloc(size / 4).map(() => Math.random() * 256),
      { level: 1 },
    );
    const fields = `Content-Encoding: gzip\r\nContent-Length: ${random.length}\r\n`;
    assert.match(await sendWhole(toApp(), headOf(fields), random), /^HTTP\/1\.1 413 /);
  });

  it('does not end a connection that is not used', async () => {
    const two = `POST /api/v1/clients HTTP/1.1\r\n${head}Content-Length: ${size}\r\n\r\nGET /api/v1/clients HTTP/1.1\r\n${head}\r\n`;
    const response = await api.raw(two);
    assert.equal(response.match(/HTTP\/1\.1 /g)?.length, 1);
  });
});

describe('a request that asks before it sends its body', () => {
  let api: Api;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const ask = (token: string, length: number, body = ''): Promise<string> =>
    api.raw(
      `POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n${body}`,
    );

  it('is rejected with 401 before, and with 413', async () => {
    assert.match(await ask('bad', 10), /^HTTP\/1\.1 401 /);
    assert.match(await ask('good', 2_000_000), /^HTTP\/1\.1 413 /);
  });

  it('is told to continue once its body is wanted', async () => {
    assert.match(await ask('good', 2, '{}'), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('closes the connection if it was rejected without its body, and keeps it otherwise', async () => {
    const fields = 'Host: demo.test\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n';
    const post = (token: string) => `POST /api/v1/clients HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n${fields}\r\n`;
    assert.match(await api.raw(post('bad')), /^HTTP\/1\.1 401 .*connection: close/is);
    const last = 'GET /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nConnection: close\r\n\r\n';
    const response = await api.raw(`${post('good')}{}${last}`);
    assert.deepEqual(response.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 100', 'HTTP/1.1 200', 'HTTP/1.1 401']);
  });
});
