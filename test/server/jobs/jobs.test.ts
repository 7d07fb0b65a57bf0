import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { openQueue } from '../../../src/automations/runner.ts';
import { DatabaseError } from '../../../src/db/errors.ts';
import { createFiles } from '../../../src/files/files.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { type EndJob, startJobs } from '../../../src/server/jobs/jobs.ts';
import { untilAvailable } from '../../../src/server/prepare.ts';
import { forEachDatabase, ownDatabase } from '../../support/database.ts';

it('a start waits for the database also where it fails while the jobs are started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobs-'));
  const own = await ownDatabase('postgres');
  // Each statement fails the first time.
  const failed = new Set<string>();
  const executeSql: typeof own.queue.executeSql = (text, values) => {
    if (failed.has(text)) return own.queue.executeSql(text, values);
    failed.add(text);
    return Promise.reject(new DatabaseError('unavailable'));
  };
  const database = { ...own, queue: { executeSql } };
  const files = await createFiles({ folder, limit: 1, s3: null });
  const jobs: EndJob[] = [];
  let waited = 0;
  const insist = <T>(work: () => Promise<T>) => untilAvailable(work, () => waited++, new AbortController().signal, 1);
  await startJobs(jobs, { config: readConfig({}), database, files, log: pino({ level: 'silent' }), insist });
  assert.ok(waited >= 2, `It waited ${waited} times.`);
  await Promise.all(jobs.map(end => end()));
  await own.close();
  rmSync(folder, { recursive: true });
});

const idle = readConfig({ AUTOMATIONS: 'false', CONFLICTS: 'false', IMPORTS: 'false' });

forEachDatabase(name => {
  describe('a start, after a process that was killed while it had claimed a job', () => {
    const sentence = {
      embedded: 'has the job again at once: no other process can have it',
      postgres: 'leaves the job to a process that may go on',
    };

    it(sentence[name], async () => {
      const folder = mkdtempSync(join(tmpdir(), 'jobs-'));
      const database = await ownDatabase(name);
      const queue = openQueue(database, { supervise: false, schedule: false });
      await queue.start();
      const id = await queue.send('imports', { tenant_id: 0, import_id: 0 });
      const claims = async () =>
        (await queue.fetch('imports', { includeMetadata: true })).map(({ id, retryCount }) => ({ id, retryCount }));
      assert.deepEqual(await claims(), [{ id, retryCount: 0 }]);
      const files = await createFiles({ folder, limit: 1, s3: null });
      const jobs: EndJob[] = [];
      await startJobs(jobs, { config: idle, database, files, log: pino({ level: 'silent' }), insist: work => work() });
      await Promise.all(jobs.map(end => end()));
      assert.deepEqual(await claims(), name === 'embedded' ? [{ id, retryCount: 1 }] : []);
      await queue.stop({ graceful: false, close: false });
      await database.close();
      rmSync(folder, { recursive: true });
    });
  });
});
