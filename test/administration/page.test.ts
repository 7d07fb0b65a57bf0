import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Tenant } from '../../src/core/principal.ts';
import { anyDatabase } from '../support/database.ts';
import { startBrowser } from './browser.ts';
import { type AdministrationServer, startAdministration } from './server.ts';

/** Milliseconds; no assertion waits so long unless it fails. */
const timeout = 20_000;

describe('the administration page', () => {
  let server: AdministrationServer;
  let browser: Browser;
  let operator: string;
  before(async () => {
    server = await startAdministration(await anyDatabase());
    operator = await server.issue();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server.close();
  });

  /** Opens the page and signs in; what the browser complains about, or loads from elsewhere, fails the test. */
  const open = async (token: string): Promise<{ page: Page; complaints: string[] }> => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    page.setDefaultTimeout(timeout);
    const complaints: string[] = [];
    const origin = `http://localhost:${server.port}`;
    page.on('pageerror', error => complaints.push(error.message));
    page.on('console', line => {
      if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text());
    });
    page.on('request', request => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) complaints.push(request.url());
    });
    page.on('dialog', dialog => void dialog.accept());
    await page.goto(`${origin}/`);
    await page.getByLabel('Administration token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return { page, complaints };
  };
  const rowOf = (page: Page, table: string, text: string) =>
    page.getByRole('table', { name: table }).locator('tbody tr').filter({ hasText: text });

  const listing = (tenant: Tenant, token: string, path: string) =>
    server.app.send('GET', path, { Host: `${tenant.slug}.test`, Authorization: `Bearer ${token}` });

  test('creates an API user and a token, which works until it is revoked', async () => {
    const tenant = await server.newTenant();
    const { page, complaints } = await open(operator);
    await page.getByRole('link', { name: tenant.slug, exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('payroll');
    await page.getByRole('button', { name: 'Create API user' }).click();
    await rowOf(page, 'API users', 'payroll').getByRole('button', { name: 'Issue token' }).click();
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const token = (await page.locator('.secret code').textContent()) ?? '';
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), token);
    assert.equal((await listing(tenant, token, '/clients')).status, 200);
    await page.getByRole('button', { name: 'Done' }).click();
    assert.equal(await page.locator('.secret').count(), 0);

    await page.getByRole('link', { name: 'Tokens' }).click();
    await rowOf(page, 'Tokens', 'payroll').getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, 'Tokens', 'revoked').waitFor();
    const end = performance.now() + timeout;
    let status = 200;
    while (status === 200 && performance.now() < end) status = (await listing(tenant, token, '/clients')).status;
    assert.equal(status, 401);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('creates a select field with a collection, which a listing shows', async () => {
    const tenant = await server.newTenant();
    const { page, complaints } = await open(await server.issue(tenant));
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByLabel('Name of the collection').fill('Sizes');
    await page.getByRole('button', { name: 'Create collection' }).click();
    for (const size of ['Small', 'Large']) {
      await page.getByLabel('Name of the value').fill(size);
      await page.getByRole('button', { name: 'Add value' }).click();
      await rowOf(page, 'Values', size).waitFor();
    }
    await page.getByRole('link', { name: 'Fields' }).click();
    await page.getByLabel('Form').selectOption({ label: 'Clients' });
    await page.getByLabel('Label').fill('Shirt size');
    await page.getByLabel('Type').selectOption('select');
    await page.getByLabel('Collection').selectOption({ label: 'Sizes' });
    await page.getByRole('button', { name: 'Create field' }).click();
    const field = await rowOf(page, 'Fields', 'Shirt size').locator('code').textContent();
    assert.match(field ?? '', /^dynamic_field_\d+$/);

    const path = `/tenants/${tenant.slug}`;
    const { id } = (await server.call(operator, 'POST', `${path}/api-users`, { name: 'one' })).body;
    const token = await server.app.tokenOf(tenant, id);
    const headers = {
      Host: `${tenant.slug}.test`,
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
    };
    const [{ id: collection }] = (await server.call(operator, 'GET', `${path}/collections`)).body.filter(
      ({ name }: { name: string }) => name === 'Sizes',
    );
    const values = (await server.call(operator, 'GET', `${path}/collections/${collection}/values`)).body;
    const created = await server.app.send('POST', '/clients', headers, { company: 'Acme', [`${field}`]: values[1].id });
    assert.equal(created.status, 201, created.text);
    const listed = await server.app.send('GET', `/clients?${field}=${values[1].id}`, headers);
    assert.deepEqual(
      listed.body.map((client: Record<string, unknown>) => [client.company, client[`${field}`]]),
      [['Acme', values[1].id]],
    );
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('makes, changes and deletes automations with forms of the schemas, for the API user that is chosen', async () => {
    const tenant = await server.newTenant();
    const path = `/tenants/${tenant.slug}`;
    const userWith = async (name: string, scopes: string[] = []): Promise<number> =>
      (await server.call(operator, 'POST', `${path}/api-users`, { name, scopes })).body.id;
    const all = await userWith('integration');
    await userWith('weak', ['clients:read']);
    const listed = async () => (await server.call(operator, 'GET', `${path}/automations`)).body;
    const { page, complaints } = await open(operator);
    await page.goto(`http://localhost:${server.port}/#${path}/automations`);
    const form = page.locator('form').last();
    await form.getByLabel('When').selectOption({ label: 'The status of an assignment has changed' });
    await form.getByLabel('Assigned', { exact: true }).check();
    await form.getByLabel('Confirmed').check();
    await form.getByLabel('Then').selectOption({ label: 'Change the status of the assignment' });
    await form.getByLabel('New status').selectOption({ label: 'Invited' });
    await form.getByLabel('When').selectOption({ label: 'An event is about to start' });
    assert.deepEqual(await form.getByLabel('Then').locator('option').allTextContents(), [
      'Send a webhook',
      'Lock the function',
    ]);
    await form.getByLabel('Minutes before the start').fill('90');
    await form.getByLabel('URL').fill('https://hooks.example/start');
    await form.getByLabel('Headers').fill('X-Agency: one\nX-Area: north: 2');
    await form.getByLabel('Acts for').selectOption({ label: 'weak' });
    await form.getByRole('button', { name: 'Create automation' }).click();
    await form.getByRole('alert').filter({ hasText: 'events:read' }).waitFor();
    assert.deepEqual(await listed(), []);
    await form.getByLabel('Acts for').selectOption({ label: 'integration' });
    await form.getByRole('button', { name: 'Create automation' }).click();
    await rowOf(page, 'Automations', 'An event is about to start').waitFor();
    const [made] = await listed();
    assert.deepEqual(
      [made.trigger_type, JSON.parse(made.trigger_configuration), made.api_user_id],
      ['event.starts_in', { minutes: 90 }, all],
    );
    assert.deepEqual(JSON.parse(made.routine_configuration), {
      url: 'https://hooks.example/start',
      headers: { 'X-Agency': 'one', 'X-Area': 'north: 2' },
    });

    await rowOf(page, 'Automations', 'about to start').getByRole('button', { name: 'Change' }).click();
    const change = page.locator('form').first();
    assert.equal(await change.getByLabel('Minutes before the start').inputValue(), '90');
    assert.equal(await change.getByLabel('Headers').inputValue(), 'X-Agency: one\nX-Area: north: 2');
    await change.getByLabel('When').selectOption({ label: 'A record has changed' });
    await change.getByLabel('Resources').fill('clients, projects');
    await change.getByLabel('updated').check();
    await change.getByLabel('Send the record').check();
    await change.getByLabel('Headers').fill('');
    await change.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Automations', 'A record has changed').waitFor();
    const [changed] = await listed();
    assert.deepEqual(
      [changed.trigger_type, JSON.parse(changed.trigger_configuration)],
      ['record.changed', { resource: ['clients', 'projects'], change: ['updated'], include: 'record' }],
    );
    assert.deepEqual(JSON.parse(changed.routine_configuration), { url: 'https://hooks.example/start' });
    await rowOf(page, 'Automations', 'A record has changed').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no automations.').waitFor();
    assert.deepEqual(await listed(), []);
    // A rejected request is an error in the console.
    assert.deepEqual(
      complaints.filter(line => !line.includes('403')),
      [],
    );
    await page.context().close();
  });

  test('changes a field of a form: its label, whether it is required, its category', async () => {
    const tenant = await server.newTenant();
    const { page, complaints } = await open(operator);
    await page.goto(`http://localhost:${server.port}/#/tenants/${tenant.slug}/fields`);
    await page.getByLabel('Label').fill('Size');
    await page.getByLabel('Category').selectOption('personal');
    await page.getByRole('button', { name: 'Create field' }).click();
    await rowOf(page, 'Fields', 'Size').getByRole('button', { name: 'Change' }).click();
    const change = page.locator('form').last();
    assert.equal(await change.getByLabel('Label').inputValue(), 'Size');
    await change.getByLabel('Label').fill('Shoe size');
    await change.getByLabel('Required').check();
    await change.getByLabel('Category').selectOption({ label: '–' });
    await change.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Fields', 'Shoe size').filter({ hasText: 'yes' }).waitFor();
    const attributes = (await server.call(operator, 'GET', `/tenants/${tenant.slug}/attributes`)).body;
    const [field] = attributes.filter(({ name }: { name: string }) => name === 'Shoe size');
    assert.deepEqual([field.required, field.category, field.type], [1, null, 'text']);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('keeps the session of a tab when it is loaded again, until it signs out', async () => {
    const { page, complaints } = await open(operator);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    assert.equal(await page.getByLabel('Administration token').count(), 0);
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, document.cookie, location.href])');
    assert.ok(!kept.includes(operator));
    assert.deepEqual(await page.context().cookies(), []);
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.getByLabel('Administration token').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.reload();
    await page.getByLabel('Administration token').waitFor();
    assert.ok(!(await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).includes(operator));
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('forgets a token that has been rejected, and keeps one that could not be checked', async () => {
    const { page } = await open(operator);
    const response = (status: number, message: string) =>
      page.route('**/administration/v1/me', route => route.fulfill({ status, json: { message } }));
    await response(503, 'The database is down.');
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'The database is down.' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Tenants' }).waitFor();
    await response(401, 'The token has been revoked.');
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'The token has been revoked.' }).waitFor();
    await page.unrouteAll();
    await page.reload();
    await page.getByLabel('Administration token').waitFor();
    await page.context().close();
  });

  test('says why something could not be read, and reads it again on request', async () => {
    const tenant = await server.newTenant();
    const { page } = await open(operator);
    for (const [part, empty] of [
      ['users', 'There are no API users.'],
      ['usage', 'There were no requests.'],
      ['automations', 'There are no automations.'],
    ] as const) {
      await page.route(`**/administration/v1/tenants/${tenant.slug}/*`, route =>
        route.fulfill({ status: 503, json: { message: 'The database is down.' } }),
      );
      await page.goto(`http://localhost:${server.port}/#/tenants/${tenant.slug}/${part}`);
      await page.getByRole('alert').filter({ hasText: 'The database is down.' }).first().waitFor();
      assert.equal(await page.getByText('Loading…').count(), 0, part);
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText(empty).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0, part);
    }
    await page.context().close();
  });

  test('shows what an API user has sent, without values', async () => {
    const tenant = await server.newTenant();
    const path = `/tenants/${tenant.slug}/api-users`;
    const { id } = (await server.call(operator, 'POST', path, { name: 'sender' })).body;
    const token = await server.app.tokenOf(tenant, id);
    await listing(tenant, token, '/clients?company=~secret&bogus=1');
    await server.activity.flush();
    const { page, complaints } = await open(operator);
    await page.goto(`http://localhost:${server.port}/#/tenants/${tenant.slug}/users`);
    await rowOf(page, 'API users', 'sender').getByRole('button', { name: 'Requests' }).click();
    await rowOf(page, 'Requests', 'clients_list').filter({ hasText: 'unknown_field' }).waitFor();
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /secret/);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('shows the deliveries of an automation at 1280 pixels without scrolling sideways', async () => {
    const tenant = await server.newTenant();
    const path = `/tenants/${tenant.slug}/api-users`;
    const { id } = (
      await server.call(operator, 'POST', path, {
        name: 'a-user-with-a-name-of-some-length-without-any-blank-in-it-as-programs-have',
      })
    ).body;
    const headers = {
      Host: `${tenant.slug}.test`,
      Authorization: `Bearer ${await server.app.tokenOf(tenant, id)}`,
      'Content-Type': 'application/json',
    };
    const made = await server.app.send('POST', '/automations', headers, {
      trigger_type: 'assignment.status_changed',
      trigger_configuration: '{}',
      routine_type: 'webhook.post',
      routine_configuration: JSON.stringify({ url: `https://hooks.example/${'long-path/'.repeat(10)}` }),
    });
    assert.equal(made.status, 201, made.text);
    const { page, complaints } = await open(operator);
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.goto(`http://localhost:${server.port}/#/tenants/${tenant.slug}/automations`);
    const button = page.getByRole('button', { name: 'Deliveries' });
    await button.waitFor();
    const { x, width } = (await button.boundingBox()) ?? { x: 0, width: 0 };
    assert.ok(x > 0 && x + width <= 1280, `The button ends at ${x + width}.`);
    await page.mouse.click(x + width / 2, ((await button.boundingBox())?.y ?? 0) + 5);
    const heading = page.getByRole('heading', { name: 'Deliveries of automation' });
    await heading.waitFor();
    await page.locator('h2:focus', { hasText: 'Deliveries of automation' }).waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('runs no script that a tenant has put into a name', async () => {
    const tenant = await server.newTenant();
    const name = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    await server.call(operator, 'POST', `/tenants/${tenant.slug}/api-users`, { name });
    const { page, complaints } = await open(operator);
    let dialogs = 0;
    page.on('dialog', () => dialogs++);
    await page.goto(`http://localhost:${server.port}/#/tenants/${tenant.slug}/users`);
    await rowOf(page, 'API users', 'onerror').waitFor();
    assert.equal(dialogs, 0);
    assert.equal(await page.locator('img, td script').count(), 0);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('shows every part of a tenant, on a phone without a horizontal scroll bar', async () => {
    const tenant = await server.newTenant();
    await server.call(operator, 'POST', `/tenants/${tenant.slug}/api-users`, {
      name: 'payroll',
      scopes: ['clients:read'],
    });
    const { page, complaints } = await open(operator);
    await page.setViewportSize({ width: 375, height: 700 });
    const parts = ['users', 'tokens', 'settings', 'fields', 'collections', 'automations', 'usage', 'refused'];
    for (const hash of ['', 'log', ...parts.map(part => `tenants/${tenant.slug}/${part}`)]) {
      await page.goto(`http://localhost:${server.port}/#/${hash}`);
      await page.locator('main h1').waitFor();
      await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
      assert.equal(await page.getByRole('alert').count(), 0, hash);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(width <= 375, `${hash} is ${width} pixels wide`);
    }
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('has a strict Content-Security-Policy, and no file but its own', async () => {
    const page = await server.send('GET', '//', {});
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none';script-src 'self';style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|\*|http/);
    assert.doesNotMatch(page.text, /<script(?![^>]* src=)|<style| on\w+=/);
    for (const path of ['//page/../page.ts', '//page/%2e%2e/page.ts', '//package.json', '//page/', '//page/toString'])
      assert.equal((await server.send('GET', path, {})).status, 404, path);
    assert.equal((await server.send('POST', '//', {})).status, 405);
  });
});
