import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Staffing } from '../domain/staffing/scene.ts';
import type { ApiResponse } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';

/** Returns the codes of the errors by their fields. */
const errorsOf = ({ status, body }: ApiResponse): readonly (readonly [string, string])[] => {
  assert.equal(status, 422, JSON.stringify(body));
  return body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]);
};

let count = 0;

forAnyApp(client => {
  const put = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    client.call('PUT', path, { body, headers });
  const newId = () => `X-${++count}`;

  /** Creates a client with a new external id, and returns both of its ids. */
  const makeClient = async (changes: object = {}) => {
    const external = newId();
    const response = await put(`/clients/external/${external}`, { company: `Company ${external}`, ...changes });
    assert.equal(response.status, 201, response.text);
    return { external, id: response.body.id as number };
  };

  describe('PUT /clients/external/{external_id}', () => {
    it('creates a record (201, Location of its id), then updates it (200)', async () => {
      const external = newId();
      const created = await put(`/clients/external/${external}`, { company: 'A' });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.headers.location, `/api/v1/clients/${created.body.id}`);
      assert.deepEqual([created.body.external_id, created.body.status], [external, 1]);
      const updated = await put(`/clients/external/${external}`, { city: 'Rostock' });
      assert.equal(updated.status, 200, updated.text);
      assert.equal(updated.headers.location, undefined);
      assert.deepEqual([updated.body.id, updated.body.company, updated.body.city], [created.body.id, 'A', 'Rostock']);
      const read = await client.call('GET', `/clients/external/${external}`);
      assert.deepEqual(read.body, updated.body);
      assert.equal(read.headers.etag, (await client.call('GET', `/clients/${created.body.id}`)).headers.etag);
    });

    it('only updates with create=false', async () => {
      const path = `/clients/external/${newId()}`;
      assert.equal((await put(`${path}?create=false`, { company: 'A' })).status, 404);
      assert.equal((await client.call('GET', path)).status, 404);
      assert.equal((await put(`${path}?create=true`, { company: 'A' })).status, 201);
      assert.equal((await put(`${path}?create=false`, { company: 'B' })).status, 200);
      for (const path of [`/clients/external/${newId()}`, `/clients/external/${(await makeClient()).external}`])
        assert.equal((await put(`${path}?create=maybe`, { company: 'B' })).status, 400);
    });

    it('requires on creation what POST requires, and nothing on update', async () => {
      const { external } = await makeClient();
      assert.deepEqual(errorsOf(await put(`/clients/external/${newId()}`, {})), [['company', 'not_empty']]);
      assert.equal((await put(`/clients/external/${external}`, {})).status, 200);
    });

    it('rejects another external_id in the body, and takes its own', async () => {
      const { external } = await makeClient();
      for (const path of [`/clients/external/${external}`, `/clients/external/${newId()}`])
        for (const value of ['other', null])
          assert.deepEqual(errorsOf(await put(path, { company: 'A', external_id: value })), [
            ['external_id', 'read_only'],
          ]);
      assert.equal((await put(`/clients/external/${external}`, { external_id: external })).status, 200);
    });

    it('stores the external id in the form in which a body’s value is stored', async () => {
      const external = newId();
      const created = await put(`/clients/external/%20${external}%20`, { company: 'A' });
      assert.equal(created.body.external_id, external);
      assert.equal((await put(`/clients/external/${external}`, {})).status, 200);
      assert.equal((await put('/clients/external/%20', { company: 'A' })).status, 404);
      assert.deepEqual(errorsOf(await put(`/clients/external/${'x'.repeat(191)}`, { company: 'A' })), [
        ['external_id', 'too_long'],
      ]);
      assert.deepEqual(errorsOf(await put('/clients/external/a%07b', { company: 'A' })), [
        ['external_id', 'invalid_character'],
      ]);
      assert.equal((await put(`/clients/external/${'x'.repeat(190)}`, { company: 'A' })).status, 201);
    });

    it('takes If-Match: a current tag or * for a record, nothing for a new one', async () => {
      const { external } = await makeClient();
      const path = `/clients/external/${external}`;
      const etag = String((await client.call('GET', path)).headers.etag);
      assert.equal((await put(path, { city: 'A' }, { 'If-Match': '"0"' })).status, 412);
      assert.equal((await put(path, { city: 'B' }, { 'If-Match': etag })).status, 200);
      assert.equal((await put(path, { city: 'C' }, { 'If-Match': etag })).status, 412);
      assert.equal((await put(path, { city: 'C' }, { 'If-Match': '*' })).status, 200);
      for (const tag of ['*', etag]) {
        const unknown = `/clients/external/${newId()}`;
        assert.equal((await put(unknown, { company: 'A' }, { 'If-Match': tag })).status, 412);
        assert.equal((await client.call('GET', unknown)).status, 404);
      }
    });

    it('is replayed with the same Idempotency-Key', async () => {
      const path = `/clients/external/${newId()}`;
      const headers = { 'Idempotency-Key': newId() };
      const [first, second] = [await put(path, { company: 'A' }, headers), await put(path, { company: 'A' }, headers)];
      assert.deepEqual([first.status, second.status], [201, 201]);
      assert.equal(second.headers['idempotency-replayed'], 'true');
      assert.equal(second.text, first.text);
      assert.equal(second.headers.location, first.headers.location);
    });

    it('stores nothing with dry_run', async () => {
      const path = `/clients/external/${newId()}`;
      assert.equal((await put(`${path}?dry_run=true`, { company: 'A' })).status, 201);
      assert.equal((await client.call('GET', path)).status, 404);
      const { external, id } = await makeClient();
      assert.equal((await put(`/clients/external/${external}?dry_run=true`, { city: 'Z' })).body.city, 'Z');
      assert.equal((await client.call('GET', `/clients/${id}`)).body.city, null);
    });

    it('creates one record of many simultaneous requests: one 201, the others 200', async () => {
      for (let round = 0; round < 3; round++) {
        const external = newId();
        const responses = await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            index % 3 === 0
              ? client.call('POST', '/clients', { body: { company: `P ${index}`, external_id: external } })
              : put(`/clients/external/${external}`, { company: `C ${index}` }),
          ),
        );
        const posts = responses.filter((_, index) => index % 3 === 0);
        const puts = responses.filter((_, index) => index % 3 !== 0);
        assert.equal(responses.filter(({ status }) => status === 201).length, 1);
        assert.ok(
          puts.every(({ status }) => status === 200 || status === 201),
          puts.map(({ text }) => text).join(),
        );
        assert.equal(new Set(puts.map(({ body }) => body.id)).size, 1);
        for (const response of posts.filter(({ status }) => status !== 201)) {
          assert.deepEqual(errorsOf(response), [['external_id', 'not_unique']]);
          assert.equal(response.body.errors[0].id, puts[0]?.body.id);
        }
        assert.equal((await client.call('GET', `/clients?external_id=${external}`)).body.length, 1);
      }
    });

    it('creates a new record when the one that it found has lost the external id in the meantime', async () => {
      for (let round = 0; round < 6; round++) {
        const { external, id } = await makeClient();
        const [moved, written] = await Promise.all([
          put(`/clients/${id}`, { external_id: newId() }),
          put(`/clients/external/${external}`, { company: 'New', city: 'Kiel' }),
        ]);
        assert.equal(moved.status, 200, moved.text);
        assert.ok(written.status === 200 || written.status === 201, written.text);
        const holders = (await client.call('GET', `/clients?external_id=${external}`)).body;
        if (written.status === 201) assert.deepEqual([holders.length, holders[0].city], [1, 'Kiel']);
        else assert.deepEqual([holders.length, written.body.id], [0, id]);
      }
    });
  });

  describe('an external id', () => {
    it('is unique among the records of the resource, and the error names the other record', async () => {
      const { external, id } = await makeClient();
      const other = await makeClient();
      for (const response of [
        await client.call('POST', '/clients', { body: { company: 'B', external_id: external } }),
        await put(`/clients/${other.id}`, { external_id: external }),
      ]) {
        assert.deepEqual(errorsOf(response), [['external_id', 'not_unique']]);
        assert.equal(response.body.errors[0].id, id);
        assert.match(response.body.errors[0].message, new RegExp(`client ${id} `));
      }
      assert.equal((await put(`/clients/${id}`, { external_id: external })).status, 200);
      const planner = { first_name: 'A', last_name: 'B', external_id: external };
      assert.equal((await client.call('POST', '/planners', { body: planner })).status, 201);
    });

    it('may be null for any number of records, and does not identify them', async () => {
      for (const external_id of [null, null])
        assert.equal(
          (await client.call('POST', '/clients', { body: { company: 'N', external_id } })).body.external_id,
          null,
        );
      assert.equal((await client.call('GET', '/clients/external/null')).status, 404);
    });

    it('contains %2F, and a dot before the name of a format as %2E', async () => {
      const odd = `a/b ${newId()}?#%.json`;
      const path = `/clients/external/${encodeURIComponent(odd).replaceAll('.', '%2E')}`;
      const created = await put(path, { company: 'A' });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.body.external_id, odd);
      assert.equal((await client.call('GET', path)).body.id, created.body.id);
      assert.equal((await client.call('GET', `${path}.json`)).body.id, created.body.id);
      assert.match((await client.call('GET', `${path}.xml`)).text, /^<\?xml|^<client>/);
      for (const extension of ['csv', 'ndjson'])
        assert.equal((await client.call('GET', `${path}.${extension}`)).status, 404);
      const dotted = newId();
      assert.equal((await put(`/clients/external/${dotted}.v2`, { company: 'A' })).body.external_id, `${dotted}.v2`);
    });

    it('does not identify the record of another resource, nor a deleted one', async () => {
      const { external } = await makeClient();
      assert.equal((await client.call('GET', `/employees/external/${external}`)).status, 404);
      const { body } = await put(`/planners/external/${external}`, { first_name: 'A', last_name: 'B' });
      assert.equal((await client.call('DELETE', `/planners/external/${external}`)).status, 204);
      assert.equal((await client.call('GET', `/planners/${body.id}`)).status, 404);
      for (const method of ['GET', 'DELETE'])
        assert.equal((await client.call(method, `/planners/external/${external}`)).status, 404);
      const again = await put(`/planners/external/${external}`, { first_name: 'A', last_name: 'B' });
      assert.equal(again.status, 201);
      assert.notEqual(again.body.id, body.id);
    });

    it('deletes with If-Match, and marks where the resource keeps deleted records', async () => {
      const { external } = await makeClient();
      const path = `/clients/external/${external}`;
      const remove = (tag: string) => client.call('DELETE', path, { headers: { 'If-Match': tag } });
      assert.equal((await remove('"0"')).status, 412);
      assert.equal((await remove(String((await client.call('GET', path)).headers.etag))).status, 204);
      assert.equal((await client.call('GET', path)).body.status, 2);
    });
  });

  describe('PUT /assignments/external/{external_id}', () => {
    it('follows the rules of assignments on creation and on update', async () => {
      const staffing = new Staffing(client);
      const place = await staffing.shift('2026-06-12T14:00:00Z', '2026-06-12T22:00:00Z', { quantity: 1 });
      const [employee_id, other] = [await staffing.employee(), await staffing.employee()];
      const path = `/assignments/external/${newId()}`;
      const body = { employee_id, event_function_id: place };
      assert.deepEqual(errorsOf(await put(path, { ...body, status: 7 })), [['status', 'invalid_transition']]);
      const created = await put(path, { ...body, status: 6 });
      assert.equal(created.status, 201, created.text);
      assert.deepEqual(errorsOf(await put(path, { status: 2 })), [['status', 'invalid_transition']]);
      assert.equal((await put(path, { ...body, status: 7 })).body.status, 7);
      assert.deepEqual(errorsOf(await put(path, { employee_id: other })), [['employee_id', 'read_only']]);
      const full = await put(`/assignments/external/${newId()}`, { ...body, employee_id: other, status: 6 });
      assert.equal(errorsOf(full)[0]?.[1], 'function_full');
    });

    it('creates one assignment of many simultaneous requests, also for the last place', async () => {
      const staffing = new Staffing(client);
      const place = await staffing.shift('2026-07-12T14:00:00Z', '2026-07-12T22:00:00Z', { quantity: 1 });
      const body = { employee_id: await staffing.employee(), event_function_id: place, status: 6 };
      const path = `/assignments/external/${newId()}`;
      const responses = await Promise.all(Array.from({ length: 8 }, () => put(path, body)));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
    });
  });
});
