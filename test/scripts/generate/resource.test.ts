import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { generate, repository } from '../../../scripts/generate.ts';
import type { Database } from '../../../src/db/open.ts';
import type { App, Client } from '../../support/app.ts';
import { embeddedTemplate } from '../../support/template.ts';
import { isQuick, temporaryFolder } from './support.ts';

const root = resolve(import.meta.dirname, '../../..');
const fixture = join(root, 'test/fixtures/resource');

describe('a resource of one .tsp file, one migration and one view, and no TypeScript', () => {
  let app: App;
  let client: Client;
  let database: Database;

  before(async () => {
    const folder = temporaryFolder();
    for (const part of ['src', 'test/support', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    mkdirSync(join(folder, 'spec/resources'), { recursive: true });
    cpSync(join(fixture, 'vehicles.tsp'), join(folder, 'spec/resources/vehicles.tsp'));
    const outDir = join(folder, 'generated');
    cpSync(repository.outDir, outDir, { recursive: true });
    const specDirs = [...repository.specDirs, join(folder, 'spec')];
    // What runs has no types.
    await generate({ specDirs, outDir, sourceDir: join(folder, 'src') }, isQuick);
    cpSync(join(fixture, '9100-vehicles.sql'), join(folder, 'src/db/migrations/9100-vehicles.sql'));
    mkdirSync(join(folder, 'src/resources/vehicles'));
    cpSync(join(fixture, 'view.sql'), join(folder, 'src/resources/vehicles/view.sql'));
    const { startApp }: typeof import('../../support/app.ts') = await import(join(folder, 'test/support/app.ts'));
    const { openDatabase }: typeof import('../../../src/db/open.ts') = await import(join(folder, 'src/db/open.ts'));
    database = openDatabase({ url: null, dataDir: 'memory://', template: await embeddedTemplate() });
    await database.migrate();
    app = await startApp(database);
    client = await app.newClient();
  });
  after(async () => {
    await app.close();
    await database.close();
  });

  const vehicle = { name: 'Transporter 3', seats: 8, insured: true, inspected_on: '2026-02-01' };

  it('is listed, filtered, created, read, updated and deleted over HTTP', async () => {
    const driver = await client.call('POST', '/employees', { body: { firstname: 'Tomasz', lastname: 'Lindqvist' } });
    assert.equal(driver.status, 201, driver.text);
    const created = await client.call('POST', '/vehicles', { body: { ...vehicle, driver_id: driver.body.id } });
    assert.equal(created.status, 201, created.text);
    const { id } = created.body;
    const shown = { id, ...vehicle, insured: 1, driver_id: driver.body.id, 'driver.lastname': 'Lindqvist' };
    assert.deepEqual(created.body, shown);
    assert.deepEqual((await client.call('GET', `/vehicles/${id}`)).body, shown);

    await client.call('POST', '/vehicles', { body: { name: 'Van', seats: 3 } });
    assert.equal((await client.call('GET', '/vehicles')).body.length, 2);
    const found = await client.call('GET', '/vehicles?driver.lastname=~LIND&seats=>5&fields=id&embed=driver.firstname');
    assert.deepEqual(found.body, [{ id, driver: { firstname: 'Tomasz' } }]);
    const back = await client.call('GET', `/employees/${driver.body.id}?fields=id&embed=vehicles.name`);
    assert.deepEqual(back.body, { id: driver.body.id, vehicles: [{ name: 'Transporter 3' }] });

    const updated = await client.call('PUT', `/vehicles/${id}`, { body: { seats: 9, insured: 0 } });
    assert.deepEqual(updated.body, { ...shown, seats: 9, insured: 0 });
    assert.equal((await client.call('DELETE', `/vehicles/${id}`)).status, 204);
    assert.equal((await client.call('GET', `/vehicles/${id}`)).status, 404);
  });

  it('is served below a record that it refers to as well', async () => {
    const person = async (lastname: string): Promise<number> =>
      (await client.call('POST', '/employees', { body: { firstname: 'T', lastname } })).body.id;
    const [driver, other] = [await person('One'), await person('Other')];
    const made = await client.call('POST', `/employees/${driver}/vehicles`, { body: vehicle });
    assert.deepEqual([made.status, made.body.driver_id], [201, driver], made.text);
    const path = `/employees/${driver}/vehicles/${made.body.id}`;
    assert.equal(made.headers.location, `/api/v1${path}`);
    assert.deepEqual((await client.call('GET', path)).body, made.body);
    assert.deepEqual((await client.call('GET', `/employees/${driver}/vehicles?seats=>7`)).body, [made.body]);
    assert.deepEqual((await client.call('GET', `/employees/${other}/vehicles`)).body, []);
    assert.equal((await client.call('GET', '/employees/999999/vehicles')).status, 404);
    const elsewhere = `/employees/${other}/vehicles/${made.body.id}`;
    assert.equal((await client.call('PUT', elsewhere, { body: { seats: 9 } })).status, 404);
    assert.equal((await client.call('PUT', path, { body: { seats: 9 } })).body.seats, 9);
    assert.equal((await client.call('DELETE', elsewhere)).status, 404);
    assert.equal((await client.call('DELETE', path)).status, 204);
    assert.equal((await client.call('GET', path)).status, 404);
  });

  it('has its rules checked and its references kept within the tenant', async () => {
    const { status, body } = await client.call('POST', '/vehicles', {
      body: { seats: 0, wheels: 4, driver_id: 999_999 },
    });
    assert.equal(status, 422);
    const found = body.errors.map(({ code, field }: { code: string; field: string }) => `${field} ${code}`).sort();
    assert.deepEqual(found, [
      'driver_id reference_not_found',
      'name not_empty',
      'seats out_of_range',
      'wheels unknown_field',
    ]);
  });

  it('is in the published document', async () => {
    const { paths } = (await client.call('GET', '/openapi.json')).body;
    assert.deepEqual(Object.keys(paths['/vehicles/{id}']).sort(), ['delete', 'get', 'put']);
    assert.match(readFileSync(join(root, 'generated/openapi.json'), 'utf8'), /"\/clients\/\{id\}"/);
  });
});
