import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { addAttribute, collection } from '../../attributes/scene.ts';
import { forAnyDatabase } from '../../support/database.ts';
import { useApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';

forAnyDatabase((_, getDatabase) => {
  const { app } = useApp(getDatabase);

  describe("the tenant's own document", () => {
    it('has its fields with labels, types and choices, and its modules only', async () => {
      const plain = await app.newClient({ modules: new Set(['payroll']) });
      const { id: collection_id, values } = await collection(plain, 'Grade', 2);
      const field = await addAttribute(plain, 'select', { name: 'Grade', collection_id, required: 1 });
      const { body: document } = await plain.call('GET', '/openapi.json');
      const { Client: shown, ClientCreate: created } = document.components.schemas;
      assert.equal(shown.properties[field].title, 'Grade');
      assert.deepEqual(shown.properties[field]['x-derived-from'], ['attributes']);
      const [choices] = shown.properties[field].anyOf;
      assert.deepEqual(
        choices.oneOf,
        values.map((value, index) => ({ const: value, title: `Grade ${index}` })),
      );
      assert.ok(created.required.includes(field));
      assert.ok(document.paths['/clients'].get.parameters.some(({ name }: { name?: string }) => name === field));
      assert.ok(!document.paths['/automations']);
      const general = await plain.call('GET', '/openapi.json', { headers: { Authorization: 'none' } });
      assert.ok(!(field in general.body.components.schemas.Client.properties));
      const [pattern] = Object.values(general.body.components.schemas.Client.patternProperties);
      assert.deepEqual((pattern as Record<string, unknown>)['x-derived-from'], ['attributes']);
      assert.ok(general.body.paths['/automations']);
      const next = await addAttribute(plain, 'date', { name: 'Since' });
      const { body: later } = await plain.call('GET', '/openapi.json');
      assert.equal(later.components.schemas.Client.properties[next].title, 'Since');
      const yaml = await plain.call('GET', '/openapi.yaml');
      assert.equal(yaml.headers['content-type'], 'application/yaml; charset=utf-8');
      assert.deepEqual(parse(yaml.text), later);
    });

    it('accepts records with a choice that was deleted since, as they are read and put back, but no new ones', async () => {
      const own = await app.newClient();
      const { id: collection_id, values } = await collection(own, 'Grade', 2);
      const one = await addAttribute(own, 'select', { collection_id });
      const many = await addAttribute(own, 'multi_select', { collection_id });
      const body = { company: 'A', [one]: values[0], [many]: values };
      const { id } = (await own.call('POST', '/clients', { body })).body;
      await own.call('PUT', `/collections/${collection_id}/value/${values[0]}`, { body: { deleted: 1 } });
      const { body: client } = await own.call('GET', `/clients/${id}`);
      assert.deepEqual([client[one], client[many]], [values[0], values]);
      const { body: document } = await own.call('GET', '/openapi.json');
      const ajv = addFormats.default(new Ajv2020({ strict: false, logger: false }));
      ajv.addFormat('phone', true);
      const accepts = (name: string, value: unknown): boolean =>
        ajv.compile({ ...document, $ref: `#/components/schemas/${name}` })(value);
      assert.deepEqual([accepts('Client', client), accepts('ClientUpdate', client)], [true, true]);
      assert.equal((await own.call('PUT', `/clients/${id}`, { body: client })).status, 200);
      assert.equal(accepts('ClientCreate', body), false);
      assert.equal((await own.call('POST', '/clients', { body })).status, 422);
    });

    it('has the fields of embedded records, and links to its own operations only', async () => {
      const all = await app.newClient({ modules: new Set(['payroll']) });
      const field = await addAttribute(all, 'text', { name: 'Grade' });
      const some = await restricted(app, all, { hidden: ['contact'] });
      const { body: document } = await some.call('GET', '/openapi.json');
      const { EmbeddedContact: contact, EmbeddedClient: client, Contact: written } = document.components.schemas;
      assert.equal(client.properties[field].title, 'Grade');
      assert.ok(!('email' in contact.properties) && !written.required.includes('email'));
      const operations = Object.values<object>(document.paths).flatMap(item => Object.values(item));
      const ids = new Set(operations.map(({ operationId }) => operationId));
      const links = operations.flatMap(({ responses }) => Object.values(responses['201']?.links ?? {}));
      assert.ok(links.length > 50);
      for (const { operationId } of links as { operationId: string }[]) assert.ok(ids.has(operationId), operationId);
    });

    it('has examples that it accepts itself', async () => {
      const own = await app.newClient();
      const { id: collection_id } = await collection(own, 'Grade', 2);
      for (const type of ['text', 'number', 'boolean', 'date', 'email', 'phone', 'file'])
        await addAttribute(own, type, { required: 1 });
      for (const type of ['select', 'multi_select', 'level_select'])
        await addAttribute(own, type, { required: 1, collection_id });
      const { body: document } = await own.call('GET', '/openapi.json');
      const ajv = addFormats.default(new Ajv2020({ strict: false, logger: false }));
      ajv.addFormat('phone', true);
      for (const name of ['Client', 'Contact', 'Employee'].flatMap(name => [name, `${name}Create`, `${name}Update`])) {
        const [example] = document.components.schemas[name].examples;
        const validate = ajv.compile({ ...document, $ref: `#/components/schemas/${name}` });
        assert.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`);
      }
      const { gender } = document.components.schemas.ContactCreate.examples[0];
      assert.equal((await own.call('GET', `/collections?embed=values&identifier=gender`)).body[0].values[0].id, gender);
    });
  });
});
