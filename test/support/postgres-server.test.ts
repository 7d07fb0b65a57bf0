import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { until } from './until.ts';

const script = `
  const { startPostgresServer } = await import('${new URL('postgres-server.ts', import.meta.url)}');
  const { default: pg } = await import('pg');
  const { url, restart } = await startPostgresServer();
  restart();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('show data_directory');
  process.stdout.write(rows[0].data_directory, () => process.kill(process.pid, 'SIGKILL'));`;

it('a server of a process that is killed ends, and leaves no folder', async () => {
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  });
  assert.equal(signal, 'SIGKILL', stderr);
  assert.match(stdout, /staffing-postgres-\w+.data$/);
  await until('the folder is removed', () => !existsSync(stdout.replace(/data$/, '')));
});
