import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { keyOf } from '../../../src/files/files.ts';
import { sweep } from '../../../src/resources/files/sweep.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const hour = 3600;

forAnyApp((client, app) => {
  const write = async (path: string, age: number): Promise<string> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'left over');
    const then = Date.now() / 1000 - age;
    await utimes(path, then, then);
    return path;
  };
  const contentPath = (name: string) => join(dirname(app.files.temporary), 'content', keyOf(client.tenant.id, name));

  it('what uploads have left is removed once it is old, by one instance or by several at once; files stay', async () => {
    const { body } = await client.call('POST', '/files', { body: Buffer.from('kept') });
    const kept = await write(contentPath(body.path), 48 * hour);
    const orphan = await write(contentPath('orphan'), 25 * hour);
    const fresh = await write(contentPath('fresh'), 23 * hour);
    const temporary = await write(join(app.files.temporary, 'old'), 2 * hour);
    const arriving = await write(join(app.files.temporary, 'arriving'), hour / 2);
    await Promise.all([1, 2, 3].map(() => sweep(app.files, app.database)));
    const there = [kept, orphan, fresh, temporary, arriving].map(path => existsSync(path));
    assert.deepEqual(there, [true, false, true, false, true]);
    assert.deepEqual((await sweep(app.files, app.database)).contents, 0);
  });

  it('a record whose content is lost is counted, and kept', async () => {
    const { body } = await client.call('POST', '/files', { body: Buffer.from('lost') });
    const { lost } = await sweep(app.files, app.database);
    await app.files.remove(client.tenant.id, body.path);
    assert.equal((await sweep(app.files, app.database)).lost, lost + 1);
    assert.equal((await client.call('GET', `/files/${body.id}`)).status, 200);
  });
});
