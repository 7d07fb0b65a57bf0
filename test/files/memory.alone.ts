import assert from 'node:assert/strict';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { after, before, it } from 'node:test';
import { startApp } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';

const mebibyte = 1_048_576;
const size = 200 * mebibyte;
/** Maximum additional memory of the process in bytes, including the client. */
const growth = 32 * mebibyte;

let app: Awaited<ReturnType<typeof startApp>>;
before(async () => {
  app = await startApp(await anyDatabase(), { files: { limit: size } });
});
after(() => app.close());

/** Used memory in bytes after a garbage collection, so that the time of the last one does not matter. */
const held = (): number => {
  if (!globalThis.gc) throw new Error('Run this with --expose-gc.');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Returns the peak of additional memory in bytes during some work. */
const growthDuring = async (work: () => Promise<void>): Promise<number> => {
  const before = held();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, held());
  }, 300);
  await work();
  clearInterval(watch);
  return most - before;
};

it('a large file is uploaded and downloaded in little memory', async () => {
  const client = await app.newClient();
  const chunk = Buffer.alloc(65_536, 'x');
  const bytes = function* (length: number) {
    for (let sent = 0; sent < length; sent += chunk.length) yield chunk;
  };
  const upload = (length: number) =>
    client.call('POST', '/files', { body: Readable.from(bytes(length), { objectMode: false }) });
  const download = async (id: number): Promise<number> => {
    const headers = {
      Host: `${client.tenant.slug}.test`,
      Authorization: `Bearer ${client.token}`,
      'X-Forwarded-Proto': 'https',
      'Accept-Encoding': 'identity',
    };
    let received = 0;
    await new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port: app.port, path: `/api/v1/files/${id}/content`, headers })
        .on('error', reject)
        .on('response', response => {
          response.on('data', (part: Buffer) => {
            received += part.length;
          });
          response.on('end', resolve).on('error', reject);
        })
        .end();
    });
    return received;
  };
  // The first transfer initializes the process and is not measured.
  await download((await upload(size / 4)).body.id);
  let id = 0;
  const sending = await growthDuring(async () => {
    const { status, body } = await upload(size);
    assert.deepEqual([status, body.size], [201, size]);
    id = body.id;
  });
  const receiving = await growthDuring(async () => assert.equal(await download(id), size));
  assert.ok(sending < growth, `${sending / mebibyte} MiB while sending`);
  assert.ok(receiving < growth, `${receiving / mebibyte} MiB while receiving`);
});
