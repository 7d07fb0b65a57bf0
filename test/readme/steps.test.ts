import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../src/db/open.ts';
import type { App, Client } from '../support/app.ts';
import { inMemory, scratchUrl } from '../support/database.ts';
import { chapterOf } from './server.ts';

const root = resolve(import.meta.dirname, '../..');

/** A numbered step: a file to write, or commands to run. */
interface Step {
  readonly file: string | null;
  readonly block: string;
}

/** The steps of a chapter: the code block of each, and the file that its first line names, if it does. */
const stepsOf = (section: string): readonly Step[] => {
  return section
    .split(/^(?=\d+\. )/m)
    .slice(1)
    .map(step => {
      const [, block = ''] = /^ {3}```\w+\n([\s\S]*?)^ {3}```/m.exec(step) ?? [];
      const [, file = null] = /^\d+\. `([^`]+)`/.exec(step) ?? [];
      return { file, block: block.replaceAll(/^ {3}/gm, '') };
    });
};

describe('the steps of docs/extending.md, taken as printed in a copy of the project', () => {
  // Inside the project, where the packages are found.
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/readme-'));
  let app: App;
  let database: Database;
  let client: Client;

  /** Runs one command in the copy. */
  const run = (command: string) => {
    const [name = '', ...args] = command.split(' ');
    // Of a test runner's own, what it starts would report to it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(name, args, { cwd: folder, env, encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };
  /** Takes the step, and returns what its last command says. */
  const take = ({ file, block }: Step) => {
    if (file === null) return block.trim().split('\n').map(run).at(-1);
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), block);
    return undefined;
  };

  before(async () => {
    for (const part of ['src', 'spec', 'scripts', 'generated', 'test/support', 'test/contract', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    // Of the whole project, what actions touch: the rest is as it was.
    const config = {
      extends: '../../tsconfig.json',
      include: ['generated/actions.ts'],
      // What is checked again is what has changed.
      compilerOptions: { incremental: true, tsBuildInfoFile: 'checked.json' },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  });
  after(async () => {
    await app?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('make a resource of one file of the spec and one migration', () => {
    const steps = stepsOf(chapterOf('docs/extending.md', 'Adding a resource'));
    assert.deepEqual(
      steps.map(({ file, block }) => file ?? block.trim()),
      ['spec/resources/vehicles.tsp', 'src/db/migrations/9200-vehicles.sql', 'npm run generate'],
    );
    for (const step of steps) {
      const done = take(step);
      if (done) assert.equal(done.status, 0, done.text);
    }
    const coverage = run(`${process.execPath} --test test/contract/coverage.test.ts`);
    assert.equal(coverage.status, 0, coverage.text);
  });

  it('make an action, whose handler type checking asks for', () => {
    const [operation, commands, handler] = stepsOf(chapterOf('docs/extending.md', 'Adding an action')) as [
      Step,
      Step,
      Step,
    ];
    take(operation);
    const missing = take(commands);
    assert.notEqual(missing?.status, 0);
    assert.match(missing?.text ?? '', /Cannot find module '\.\.\/src\/resources\/vehicles\/refit\.ts'/);
    take(handler);
    const whole = run('npx tsc -p .');
    assert.equal(whole.status, 0, whole.text);
  });

  it('make both usable over HTTP', async () => {
    const { startApp }: typeof import('../support/app.ts') = await import(join(folder, 'test/support/app.ts'));
    const { openDatabase }: typeof import('../../src/db/open.ts') = await import(join(folder, 'src/db/open.ts'));
    database = openDatabase({ ...inMemory, url: await scratchUrl() });
    await database.migrate();
    app = await startApp(database);
    client = await app.newClient();
    const driver = await client.call('POST', '/employees', { body: { firstname: 'Tomasz', lastname: 'Lindqvist' } });
    const inspected_at = '2026-03-02T08:30:00Z';
    const body = { name: 'Transporter 3', seats: 8, driver_id: driver.body.id, inspected_at };
    const made = await client.call('POST', '/vehicles', { body });
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    const refit = await client.call('PUT', `/vehicles/${id}/refit`, { body: { seats: 7 } });
    assert.deepEqual([refit.status, refit.body], [200, { ...made.body, seats: 7 }]);
    const listed = await client.call('GET', '/vehicles?seats=<8&inspected_at=<2026-03-03&embed=driver.lastname');
    assert.deepEqual(listed.body, [{ ...made.body, seats: 7, driver: { lastname: 'Lindqvist' } }]);
    assert.equal((await client.call('PUT', `/vehicles/${id}/refit`, { body: { seats: 0 } })).status, 422);
    assert.equal((await client.call('PUT', '/vehicles/999999/refit', { body: { seats: 1 } })).status, 404);
    assert.equal((await client.call('DELETE', `/vehicles/${id}`)).status, 204);
  });
});
