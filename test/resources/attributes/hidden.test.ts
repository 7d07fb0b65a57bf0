import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { collection } from '../../attributes/scene.ts';
import { assertErrors, Staffing } from '../../domain/staffing/scene.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'];

forAnyApp((client, app) => {
  const staffing = new Staffing(client);

  describe('an attribute of a category that is hidden from an API user', () => {
    let user: Client;
    let form: number;
    let choices: number;
    /** Questions of the form: one that is hidden, one of another category, and one of none. */
    let [secret, other, open] = [0, 0, 0];
    /** A hidden field of employees. */
    let field: number;
    let assignment: number;
    let report: number;

    before(async () => {
      user = await restricted(app, client, { hidden: ['pay'] });
      form = await staffing.create('forms', { name: 'Report', entity: 'assignment-employment-reports' });
      choices = (await collection(client, 'Grade', 2)).id;
      const question = (more: object) => staffing.create('attributes', { entity_id: form, name: 'Q', ...more });
      secret = await question({ category: 'pay', type: 'select', collection_id: choices });
      other = await question({ category: 'health' });
      open = await question({});
      const [{ id: employees }] = (await client.call('GET', '/forms?entity=employees')).body;
      field = await staffing.create('attributes', { entity_id: employees, name: 'Salary', category: 'pay' });
      const project_id = await staffing.create('projects', { name: 'P', reporting_form_ids: [form] });
      const place = await staffing.place(await staffing.event(start, end, { project_id }));
      assignment = await staffing.assignment(await staffing.employee({ [`dynamic_field_${field}`]: 'x' }), place);
      const data = [secret, open, secret].map((attribute_id, value) => ({ attribute_id, value }));
      report = await staffing.create('assignment-employment-reports', { assignment_id: assignment, data });
    });

    const seen = async (by: Client, path: string) => {
      const { status, body, text } = await by.call('GET', path);
      assert.equal(status, 200, `${path}: ${text}`);
      return body;
    };
    const idsOf = (records: readonly { id: number }[]): readonly number[] => records.map(({ id }) => id);

    it('is in no listing, relation or count', async () => {
      for (const [path, records] of [
        ['/attributes?sort=id', (body: { id: number }[]) => body],
        ['/attributes?category=pay', (body: { id: number }[]) => body],
        [`/forms/${form}/attributes`, (body: { id: number }[]) => body],
        [`/forms/${form}?embed=attributes`, (body: { attributes: { id: number }[] }) => body.attributes],
        [
          `/assignments/${assignment}/reporting-forms`,
          ([{ attributes }]: [{ attributes: { id: number }[] }]) => attributes,
        ],
        [`/collections/${choices}/objects`, (body: { id: number }[]) => body],
      ] as const) {
        const [mine, all] = [user, client].map(async by =>
          idsOf((records as (body: unknown) => [])(await seen(by, path))),
        );
        const left = (await all)?.filter(id => id !== secret && id !== field);
        assert.ok((left?.length ?? 0) < ((await all)?.length ?? 0), path);
        assert.deepEqual(await mine, left, path);
      }
      const counted = await user.call('GET', `/forms/${form}/attributes?count=true&limit=1`);
      assert.equal(counted.headers['x-total-count'], '2');
      assert.deepEqual(await seen(user, `/attributes?id=${secret}`), []);
      for (const format of ['csv', 'ndjson', 'xml'])
        assert.doesNotMatch((await user.call('GET', `/attributes.${format}`)).text, /pay/);
    });

    it('is not found, read or written, and stays as it is', async () => {
      const unchanged = await seen(client, `/attributes/${secret}`);
      for (const path of [`/attributes/${secret}`, `/forms/${form}/attributes/${secret}`]) {
        for (const [method, body] of [
          ['GET'],
          ['PUT', { category: null }],
          ['PUT', { name: 'Changed' }],
          ['PUT', {}],
          ['PUT', { nothing: 1 }],
          ['DELETE'],
        ] as const)
          for (const query of method === 'GET' ? [''] : ['', '?dry_run=true']) {
            const response = await user.call(method, path + query, body && { body });
            assert.deepEqual(
              [response.status, response.body?.code],
              [404, 'not_found'],
              `${method} ${path}: ${response.text}`,
            );
          }
      }
      assert.deepEqual(await seen(client, `/attributes/${secret}`), unchanged);
    });

    it('cannot be made by the API user, whose document does not name the category', async () => {
      for (const [method, path] of [
        ['POST', '/attributes'],
        ['POST', `/forms/${form}/attributes`],
        ['PUT', `/attributes/${open}`],
      ] as const) {
        const body = { ...(method === 'POST' && { entity_id: form, name: 'N' }), category: 'pay' };
        const response = await user.call(method, path, { body });
        assertErrors(response, 'not_in_enumeration category');
        assert.doesNotMatch(response.body.errors[0].message, /pay/);
        const unknown = await user.call(method, path, { body: { ...body, category: 'nothing' } });
        assert.deepEqual(unknown.body.errors, response.body.errors);
        assert.equal((await client.call(method, `${path}?dry_run=1`, { body })).status, method === 'POST' ? 201 : 200);
      }
      const same = await user.call('PUT', `/attributes/${other}`, { body: await seen(user, `/attributes/${other}`) });
      assert.deepEqual([same.status, same.body.category], [200, 'health']);
      const offered = async (by: Client) =>
        Object.values<{ properties?: { category?: object } }>((await seen(by, '/openapi.json')).components.schemas)
          .flatMap(({ properties }) => properties?.category ?? [])
          .filter(schema => JSON.stringify(schema).match(/"health"|SensitiveCategory/));
      assert.ok((await offered(user)).length > 3);
      assert.doesNotMatch(JSON.stringify(await offered(user)), /"pay"|SensitiveCategory/);
      assert.match(JSON.stringify((await seen(client, '/openapi.json')).components.schemas.SensitiveCategory), /"pay"/);
    });

    it('has no value in reports, which stays when the others are put back', async () => {
      const path = `/assignment-employment-reports/${report}`;
      const stored = (await seen(client, path)).data;
      const shown = [{ attribute_id: open, value: 1 }];
      assert.deepEqual((await seen(user, path)).data, shown);
      assert.deepEqual((await seen(user, `/assignments/${assignment}?embed=report`)).report.data, shown);
      assert.deepEqual((await seen(user, `/assignment-employment-reports?id=${report}`))[0].data, shown);
      const csv = await user.call('GET', `/assignment-employment-reports.csv?id=${report}&fields=data`);
      assert.doesNotMatch(csv.text, new RegExp(`\\b${secret}\\b`));
      const same = await user.call('PUT', path, { body: await seen(user, path) });
      assert.deepEqual([same.status, same.body.data], [200, shown], same.text);
      assert.deepEqual((await seen(client, path)).data, stored);
      const changed = await user.call('PUT', path, { body: { data: [{ attribute_id: open, value: 'new' }] } });
      assert.deepEqual([changed.status, changed.body.data], [200, [{ attribute_id: open, value: 'new' }]]);
      assert.deepEqual((await seen(client, path)).data, stored.with(1, { attribute_id: open, value: 'new' }));
      const body = { assignment_id: assignment, data: [{ attribute_id: secret, value: 1 }] };
      assertErrors(await user.call('PUT', path, { body: { data: body.data } }), 'unknown_field data.0.attribute_id');
      assertErrors(
        await user.call('POST', '/assignment-employment-reports', { body }),
        'unknown_field data.0.attribute_id',
      );
    });

    it('comes and goes with its category, at once', async () => {
      const path = `/assignment-employment-reports/${report}`;
      const count = async () => [
        (await seen(user, path)).data.length,
        (await seen(user, `/forms/${form}/attributes`)).length,
      ];
      assert.deepEqual(await count(), [1, 2]);
      for (const [category, counts] of [
        ['contact', [3, 3]],
        [null, [3, 3]],
        ['pay', [1, 2]],
      ] as const) {
        const { status, text } = await client.call('PUT', `/attributes/${secret}`, { body: { category } });
        assert.equal(status, 200, text);
        assert.deepEqual(await count(), counts, String(category));
      }
    });
  });

  describe('an attribute of a category that is hidden from an API user, when it has been deleted,', () => {
    let user: Client;
    let report: string;
    let file: number;
    /** The questions of a report, and fields of clients with a text and with a file. */
    let [secret, open, field, scan] = [0, 0, 0, 0];

    before(async () => {
      user = await restricted(app, client, { hidden: ['pay'] });
      const form = await staffing.create('forms', { name: 'Report', entity: 'assignment-employment-reports' });
      const [{ id: clients }] = (await client.call('GET', '/forms?entity=clients')).body;
      const attribute = (entity_id: number, type: string, category: string | null) =>
        staffing.create('attributes', { entity_id, name: 'N', type, category });
      [secret, open] = [await attribute(form, 'text', 'pay'), await attribute(form, 'text', null)];
      [field, scan] = [await attribute(clients, 'text', 'pay'), await attribute(clients, 'file', 'pay')];
      const place = await staffing.place(await staffing.event(start, end));
      const assignment_id = await staffing.assignment(await staffing.employee(), place);
      const data = [secret, open].map(attribute_id => ({ attribute_id, value: 'answer' }));
      report = `/assignment-employment-reports/${await staffing.create('assignment-employment-reports', { assignment_id, data })}`;
      file = (await client.call('POST', '/files', { body: Buffer.from('a scan') })).body.id;
      await staffing.create('clients', {
        company: 'C',
        [`dynamic_field_${field}`]: 'x',
        [`dynamic_field_${scan}`]: file,
      });
    });

    /** What the API user sees of them. */
    const seen = async (): Promise<readonly unknown[]> => [
      (await user.call('GET', report)).body.data,
      (await user.call('GET', `/files/${file}`)).status,
      (await user.call('GET', `/files/${file}/content`)).status,
      (await user.call('GET', '/files?fields=id')).body,
      ...(await Promise.all(
        [`?dynamic_field_${field}=x`, `?fields=dynamic_field_${field}`, `?sort=dynamic_field_${scan}`].map(
          async query => (await user.call('GET', `/clients${query}`)).body.code,
        ),
      )),
    ];

    it('is as unknown as before, and so are its answers and files', async () => {
      const hidden = [[{ attribute_id: open, value: 'answer' }], 404, 404, [], ...Array(3).fill('unknown_field')];
      assert.deepEqual(await seen(), hidden);
      for (const id of [secret, field, scan])
        assert.equal((await client.call('DELETE', `/attributes/${id}`)).status, 204);
      assert.deepEqual(await seen(), hidden);
    });

    it('is a deleted field for others, who see answers and files', async () => {
      assert.equal((await client.call('GET', report)).body.data.length, 2);
      assert.equal((await client.call('GET', `/files/${file}`)).status, 200);
      const other = await restricted(app, client, { hidden: ['health'] });
      for (const { call } of [client, other]) {
        const { status, body } = await call('GET', `/clients?dynamic_field_${field}=x`);
        assert.deepEqual([status, body.code], [410, 'field_deleted']);
        assert.equal((await call('GET', `/files/${file}/content`)).text, 'a scan');
      }
    });
  });
});
