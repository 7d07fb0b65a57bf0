import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { announce } from '../../src/administration/channel.ts';
import { runInServer } from '../../src/administration/commands.ts';

test('a program that has taken the port of a killed server is not taken for the server', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'commands-'));
  const replies: [status: number, body: string][] = [
    [404, '<h1>Not Found</h1>'],
    [200, '<h1>It works!</h1>'],
    [404, '{"error":"Not Found"}'],
  ];
  for (const [status, body] of replies) {
    const other = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    announce(dataDir, { host: '127.0.0.1', port, key: 'key' });
    assert.equal(await runInServer(dataDir, { args: ['tenant', 'list'], directory: dataDir }), null, body);
    other.close();
    await once(other, 'close');
  }
  rmSync(dataDir, { recursive: true });
});
