import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertErrors, createQualification, Staffing } from '../../domain/staffing/scene.ts';
import { Importer } from '../../imports/importer.ts';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Requests } from '../change-requests/scene.ts';

let count = 0;

forAnyApp((client, app) => {
  const staffing = new Staffing(client);
  const put = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    client.call('PUT', path, { body, headers });
  const get = async (path: string) => (await client.call('GET', path)).body;
  const person = { firstname: 'A', lastname: 'B' };

  describe('the collection of qualifications', () => {
    it('is there from the start, without values', async () => {
      const own = await app.newClient();
      const [collection, ...others] = (await own.call('GET', '/collections?identifier=qualifications')).body;
      const { id: _, ...rest } = collection;
      assert.deepEqual(rest, {
        identifier: 'qualifications',
        name: 'Qualifications',
        editable: 1,
        visible: 1,
        deleted: 0,
      });
      assert.deepEqual(others, []);
      assert.deepEqual((await own.call('GET', `/collections/${collection.id}/values`)).body, []);
    });

    it('can be renamed, but not deleted', async () => {
      const [{ id }] = await get('/collections?identifier=qualifications');
      assert.equal((await put(`/collections/${id}`, { name: 'Skills', deleted: 0 })).body.name, 'Skills');
      for (const response of [
        await put(`/collections/${id}`, { deleted: 1 }),
        await client.call('DELETE', `/collections/${id}`),
      ])
        assert.deepEqual([response.status, response.body?.code], [403, 'forbidden'], response.text);
      assert.equal((await get(`/collections/${id}`)).deleted, 0);
    });
  });

  describe('qualifications of employees and event functions', () => {
    let [id, identifier, foreign, country] = [0, '', 0, 0];
    before(async () => {
      identifier = `first-aid-${++count}`;
      id = await createQualification(client, { name: 'First aid', identifier });
      const sizes = (await client.call('POST', '/collections', { body: { name: 'Sizes' } })).body;
      foreign = (await client.call('POST', `/collections/${sizes.id}/value`, { body: { name: 'M', identifier: 'm' } }))
        .body.id;
      const [countries] = await get('/collections?identifier=country');
      country = (await get(`/collections/${countries.id}/values`))[0].id;
    });

    /** For each way to write one of the two fields: sends a list, and returns the response. */
    const doors: Readonly<Record<string, (list: unknown) => Promise<ApiResponse>>> = {
      'POST /employees': qualifications => client.call('POST', '/employees', { body: { ...person, qualifications } }),
      'PUT /employees/{id}': async qualifications => put(`/employees/${await staffing.employee()}`, { qualifications }),
      'PUT /employees/external/{external_id}, of a new one': qualifications =>
        put(`/employees/external/Q-${++count}`, { ...person, qualifications }),
      'PUT /employees/external/{external_id}, of an existing one': async qualifications => {
        const path = `/employees/external/Q-${++count}`;
        assert.equal((await put(path, person)).status, 201);
        return put(path, { qualifications });
      },
      'POST /event-functions': async required_qualifications => {
        const like = await get(`/event-functions/${await shift()}`);
        const { event_id, function_id } = like;
        return client.call('POST', '/event-functions', {
          body: { event_id, function_id, quantity: 1, required_qualifications },
        });
      },
      'PUT /event-functions/{id}': async required_qualifications =>
        put(`/event-functions/${await shift()}`, { required_qualifications }),
    };
    const shift = () => staffing.shift('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z');
    const listOf = ({ qualifications, required_qualifications }: Record<string, unknown>) =>
      qualifications ?? required_qualifications;
    /** Code and field of each error, without `required_`. */
    const found = ({ status, body, text }: ApiResponse) => {
      assert.equal(status, 422, text);
      return body.errors.map(({ code, field }: Record<string, string>) => `${code} ${field?.replace('required_', '')}`);
    };

    for (const [door, write] of Object.entries(doors)) {
      it(`are set by ids and identifiers: ${door}`, async () => {
        const other = await createQualification(client);
        const response = await write([other, identifier, id]);
        assert.ok(response.status === 200 || response.status === 201, response.text);
        assert.deepEqual(listOf(response.body), [other, id]);
      });

      it(`are values of their collection only: ${door}`, async () => {
        const response = await write([id, country, foreign, 'm', 'first-aide', 9_007_199_254_740_991]);
        assert.deepEqual(
          found(response),
          [1, 2, 3, 4, 5].map(place => `not_in_collection qualifications.${place}`),
        );
        assert.match(response.body.errors[3].message, /nearest value is \d+, first-aid-\d+, First aid\./);
        assert.deepEqual(found(await write([true])), ['invalid_type qualifications.0']);
        assert.deepEqual(found(await write(['first\naid'])), ['invalid_character qualifications.0']);
        assert.deepEqual(found(await write(identifier)), ['invalid_type qualifications']);
      });

      it(`are not deleted ones: ${door}`, async () => {
        const gone = `gone-${++count}`;
        const deleted = await createQualification(client, { identifier: gone });
        const path = `/collections/${(await get('/collections?identifier=qualifications'))[0].id}/value/${deleted}`;
        assert.equal((await put(path, { deleted: 1 })).status, 200);
        assert.deepEqual(found(await write([id, deleted])), ['reference_inactive qualifications.1']);
        assert.deepEqual(found(await write([gone])), ['reference_inactive qualifications.0']);
      });
    }

    it('are checked alike in the rows of imports', async () => {
      const importer = new Importer(app);
      const names = [1, 2, 3, 4].map(() => `Q-${++count}`);
      const lists = [[id], [identifier], [country], ['m']];
      const rows = lists.map((qualifications, index) => ({ external_id: names[index], ...person, qualifications }));
      const { counts, results } = await importer.import(client, '/employees/import', rows);
      assert.deepEqual(counts, [4, 2, 0, 0, 2]);
      assert.deepEqual(
        results.slice(2).map(({ errors }: { errors: object[] }) => errors),
        [2, 3].map(index => [{ ...errorOf(results[index]), code: 'not_in_collection', field: 'qualifications.0' }]),
      );
      for (const name of names.slice(0, 2))
        assert.deepEqual((await get(`/employees/external/${name}`)).qualifications, [id]);
      const table = `external_id,firstname,lastname,qualifications\n${names[2]},A,B,"[""${identifier}""]"\n`;
      assert.deepEqual((await importer.import(client, '/employees/import', table)).counts, [1, 1, 0, 0, 0]);
    });

    it('are shown by their names in change requests', async () => {
      const requests = new Requests(client);
      const employee = await staffing.employee({ qualifications: [id] });
      const asked = await requests.ask('employees', employee, [{ field: 'qualifications', new_value: [] }]);
      assert.deepEqual(
        [asked.body.changes[0].type, asked.body.changes[0].old_value],
        ['multi_select', ['First aid']],
        asked.text,
      );
      assertErrors(
        await requests.ask('employees', employee, [{ field: 'qualifications', new_value: [country] }]),
        'not_in_collection changes.0.new_value.0',
      );
    });

    it('of other collections, which a record has had before, stay allowed on it, and go for good', async () => {
      const employee = await staffing.employee();
      const place = await shift();
      await client.database.asOwner(client.tenant.id, ({ kysely }) => {
        const list = JSON.stringify([country]);
        return kysely.updateTable('employees').set({ qualifications: list }).where('id', '=', employee).execute();
      });
      await client.database.asOwner(client.tenant.id, ({ kysely }) => {
        const list = JSON.stringify([country]);
        return kysely
          .updateTable('event_functions')
          .set({ required_qualifications: list })
          .where('id', '=', place)
          .execute();
      });
      for (const path of [`/employees/${employee}`, `/event-functions/${place}`]) {
        const read = await get(path);
        const field = 'qualifications' in read ? 'qualifications' : 'required_qualifications';
        assert.deepEqual(read[field], [country]);
        const back = await put(path, read);
        assert.deepEqual([back.status, back.body[field]], [200, [country]], back.text);
        assert.deepEqual((await put(path, { [field]: [id, country] })).body[field], [id, country]);
        assert.deepEqual(found(await put(path, { [field]: [country, foreign] })), [
          'not_in_collection qualifications.1',
        ]);
        assert.deepEqual((await put(path, { [field]: [id] })).body[field], [id]);
        assert.deepEqual(found(await put(path, { [field]: [country] })), ['not_in_collection qualifications.0']);
      }
    });
  });
});

const errorOf = ({ errors }: { readonly errors: readonly object[] }) => errors[0];
