import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addAttribute, collection } from '../../attributes/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Requests } from './scene.ts';

forAnyApp((client, app) => {
  const requests = new Requests(client);

  describe('a change request', () => {
    it('records the values before and after with label and type of each field, and changes nothing', async () => {
      const planner = await requests.employee();
      const id = await requests.employee({ mobile: '+49 30 23125717' });
      const before = await requests.read(`/employees/${id}`);
      const [{ id: collection }] = await requests.read('/collections?identifier=gender');
      const [gender] = await requests.read(`/collections/${collection}/values`);
      const changes = [
        { field: 'mobile', new_value: '+49 30 23125718' },
        { attribute_id: 36, new_value: gender.id },
        { field: 'lastname', attribute_id: 32, new_value: '  Lindqvist ' },
        { field: 'status', new_value: 5 },
      ];
      const body = { entity: 'employees', entity_id: id, changes, requested_by: planner };
      const made = await client.call('POST', '/change-requests', { body });
      assert.equal(made.status, 201, made.text);
      assert.equal(made.headers.location, `/api/v1/change-requests/${made.body.id}`);
      const { requested_at, ...rest } = made.body;
      assert.match(requested_at, /Z$/);
      const stored = [
        [34, 'mobile', 'Mobile phone', 'phone', '+49 30 23125717', '+49 30 23125718'],
        [36, 'gender', 'Gender', 'select', null, gender.name],
        [32, 'lastname', 'Last name', 'text', 'B', 'Lindqvist'],
        [null, 'status', 'Status', 'number', 4, 5],
      ].map(([attribute_id, field, name, type, old_value, new_value]) => ({
        attribute_id,
        field,
        name,
        type,
        old_value,
        new_value,
      }));
      assert.deepEqual(rest, {
        id: made.body.id,
        entity: 'employees',
        entity_id: id,
        status: 1,
        requested_by: planner,
        decided_at: null,
        changes: stored,
      });
      assert.deepEqual(await requests.read(`/change-requests/${made.body.id}`), made.body);
      const plain = await requests.read(`/change-requests/${made.body.id}?return_values=false`);
      assert.equal(plain.changes[1].new_value, gender.id);
      assert.deepEqual(await requests.read(`/employees/${id}`), before);
    });

    it('is for the tenant’s own fields, too, of clients and contacts as well', async () => {
      const own = new Requests(await app.newClient());
      const sizes = await collection(own.client, 'Sizes', 2);
      const field = await addAttribute(own.client, 'multi_select', { collection_id: sizes.id });
      const company = await own.create('clients', { company: 'Nordlicht Hotels GmbH' });
      const made = await own.ask('clients', company, [{ field, new_value: sizes.values }]);
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(made.body.changes[0].new_value, ['Sizes 0', 'Sizes 1']);
      assert.equal(made.body.changes[0].name, 'A multi_select');
      const contact = await own.create('contacts', { client_id: company, lastname: 'B' });
      assert.equal((await own.ask('contacts', contact, [{ attribute_id: 22, new_value: 'C' }])).status, 201);
      await own.decide(made.body.id, 2);
      assert.deepEqual((await own.read(`/clients/${company}`))[field], sizes.values);
    });

    it('is checked as a PUT of the record, with all errors at their changes', async () => {
      const id = await requests.employee();
      const response = await requests.ask('employees', id, [
        { field: 'lastname', new_value: null },
        { field: 'email', new_value: 'nobody' },
        { field: 'qualifications', new_value: [true, 'x'] },
        { attribute_id: 36, new_value: 999_999_999 },
        { field: 'language_id', new_value: 999_999_999 },
      ]);
      const put = await client.call('PUT', `/employees/${id}`, {
        body: {
          lastname: null,
          email: 'nobody',
          qualifications: [true, 'x'],
          gender: 999_999_999,
          language_id: 999_999_999,
        },
      });
      const paths: Record<string, string> = {
        lastname: 'changes.0.new_value',
        email: 'changes.1.new_value',
        'qualifications.0': 'changes.2.new_value.0',
        gender: 'changes.3.new_value',
        language_id: 'changes.4.new_value',
      };
      assert.equal(response.status, 422, response.text);
      const wanted = put.body.errors.map((error: { field: string }) => ({ ...error, field: paths[error.field] }));
      assert.equal(wanted.length, 5);
      assert.deepEqual(response.body.errors, wanted);
      assert.deepEqual(await requests.read(`/change-requests?entity_id=${id}`), []);
    });

    it('names one field for each change, which a PUT may change', async () => {
      const id = await requests.employee();
      assertErrors(
        await requests.ask('employees', id, [
          { new_value: 1 },
          { field: 'company', new_value: 'A' },
          { field: 'id', new_value: id },
          { field: 'created_at', new_value: null },
          { attribute_id: 11, new_value: 'A' },
          { field: 'lastname', attribute_id: 31, new_value: 'A' },
          { field: 'lastname', new_value: 'A' },
          { attribute_id: 32, new_value: 'A' },
          { field: 'employeeLanguage', new_value: 'A' },
        ]),
        'not_empty changes.0.field',
        'unknown_field changes.1.field',
        'read_only changes.2.field',
        'read_only changes.3.field',
        'reference_not_found changes.4.attribute_id',
        'reference_not_found changes.5.attribute_id',
        'not_unique changes.7.field',
        'invalid_type changes.8.new_value',
      );
    });

    it('is for a record that exists in this tenant, and requested by one of its employees', async () => {
      const other = new Requests(await app.newClient());
      const [mine, foreign] = [await requests.employee(), await other.employee()];
      const changes = [{ field: 'lastname', new_value: 'C' }];
      assertErrors(await requests.ask('employees', foreign, changes), 'reference_not_found entity_id');
      assertErrors(await requests.ask('projects', mine, changes), 'not_in_enumeration entity');
      assertErrors(await requests.ask('employees', mine, []), 'not_empty changes');
      const body = { entity: 'employees', entity_id: mine, changes, requested_by: foreign };
      assertErrors(await client.call('POST', '/change-requests', { body }), 'reference_not_found requested_by');
    });

    it('as a dry run stores nothing', async () => {
      const id = await requests.employee();
      const response = await requests.ask('employees', id, [{ field: 'lastname', new_value: 'C' }], '?dry_run=true');
      assert.equal(response.status, 201, response.text);
      assert.deepEqual(await requests.read(`/change-requests?entity_id=${id}`), []);
    });

    it('with an Idempotency-Key is stored once', async () => {
      const id = await requests.employee();
      const body = { entity: 'employees', entity_id: id, changes: [{ field: 'lastname', new_value: 'C' }] };
      const headers = { 'Idempotency-Key': `change-${id}` };
      const responses = [
        await client.call('POST', '/change-requests', { body, headers }),
        await client.call('POST', '/change-requests', { body, headers }),
      ];
      assert.deepEqual(responses[1]?.body, responses[0]?.body);
      assert.equal((await requests.read(`/change-requests?entity_id=${id}`)).length, 1);
    });
  });
});
