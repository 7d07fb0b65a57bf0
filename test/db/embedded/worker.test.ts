import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { queryMessages } from '../../../src/db/pool/messages.ts';
import { embeddedTemplate } from '../../support/template.ts';

test('the thread of the embedded database keeps nothing of its responses', async () => {
  const worker = new Worker(new URL('../../../src/db/embedded/worker.ts', import.meta.url), {
    workerData: { dataDir: 'memory://', template: await embeddedTemplate() },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  await once(worker, 'message');
  const question = new Uint8Array(queryMessages(`select repeat('x', 1000) from generate_series(1, 20000)`));
  // 20 MB each: more than the thread may have.
  for (let round = 0; round < 8; round++) {
    worker.postMessage(question);
    const [response] = (await once(worker, 'message')) as [Uint8Array];
    assert.ok(response.length > 20_000_000);
  }
  await worker.terminate();
});
