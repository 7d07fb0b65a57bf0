import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { operations } from '../../support/operations.ts';
import { Scene } from '../../support/scene.ts';
import { hanging, Person, rowsOf } from './person.ts';

const word = 'canary7f3a';
const otherWord = 'sparrow9c1e';

/** The tables of work and pay. */
const earned = ['work_times', 'assignment_wages', 'paysheets', 'assignment_billings', 'pay_runs'];

/** Returns the tables with rows that contain the text. */
const tablesWith = async (client: Client, text: string): Promise<readonly string[]> =>
  [...(await rowsOf(client))].flatMap(([name, rows]) => (rows.some(row => row.includes(text)) ? [name] : []));

forAnyApp((client, app) => {
  describe('DELETE /employees/{id}?anonymize=true', () => {
    let person: Person;
    let other: Person;
    let own: { readonly id: number; readonly path: string };
    let shared: { readonly id: number; readonly path: string };
    let tables: readonly string[];
    let earnings: unknown;
    let others: unknown;

    /** Work and pay of both. */
    const readEarnings = async () => {
      const rows = await rowsOf(client);
      const { body } = await client.call('GET', `/assignments/${person.idOf('assignments')}`);
      const { pay_amount, paid_on, is_approved, approved_on, start, end } = body;
      assert.ok(pay_amount > 0);
      return [earned.map(name => rows.get(name)), { pay_amount, paid_on, is_approved, approved_on, start, end }];
    };

    /** All rows that tell something about the other person. */
    const readOthers = async () =>
      [...(await rowsOf(client))].map(([name, rows]) => [name, rows.filter(row => row.includes(otherWord))]);

    before(async () => {
      const scene = new Scene(client);
      const profile = await client.call('POST', '/billing-profiles', { body: { name: 'All', is_default: true } });
      assert.equal(profile.status, 201, profile.text);
      await scene.create('billing-components', { billing_profile_id: profile.body.id, function_id: null });
      person = new Person(client, word);
      other = new Person(client, otherWord);
      [own, shared] = [await person.upload(), await other.upload()];
      await person.create(own, shared);
      await other.create(await other.upload(), shared);
      tables = await tablesWith(client, word);
      [earnings, others] = [await readEarnings(), await readOthers()];
    });

    it('is a change of nothing as a dry run', async () => {
      const stored = await rowsOf(client);
      const response = await client.call(
        'DELETE',
        `/employees/${person.idOf('employees')}?anonymize=true&dry_run=true`,
      );
      assert.equal(response.status, 204, response.text);
      assert.deepEqual(await rowsOf(client), stored);
      assert.equal((await client.call('GET', `/files/${own.id}/content`)).status, 200);
    });

    it('needs the ETag of the record in If-Match, where it is given', async () => {
      const path = `/employees/${person.idOf('employees')}?anonymize=true`;
      const response = await client.call('DELETE', path, { headers: { 'If-Match': '"other"' } });
      assert.equal(response.status, 412, response.text);
    });

    it('leaves nothing of the person in any table', async () => {
      for (const table of [
        'employees',
        'dynamic_employees',
        'idempotency_keys',
        'assignment_history',
        'change_requests',
      ])
        assert.ok(tables.includes(table), `${table} has nothing to clear`);
      const path = `/employees/${person.idOf('employees')}`;
      const { headers } = await client.call('GET', path);
      const response = await client.call('DELETE', `${path}?anonymize=true`, {
        headers: { 'If-Match': String(headers.etag) },
      });
      assert.equal(response.status, 204, response.text);
      assert.deepEqual(await tablesWith(client, word), []);
    });

    it('leaves nothing of the person in the response of any GET', async () => {
      let count = 0;
      for (const { method, path, resource, open, parent, placeholders } of operations) {
        if (method !== 'GET' || open || parent || placeholders.some(name => name !== 'id')) continue;
        const id = person.ids.get(resource);
        if (id === undefined && placeholders.length > 0) continue;
        const { text } = await client.call('GET', path.replace('{id}', String(id)));
        assert.ok(!text.includes(word), `GET ${path}: ${text}`);
        count += 1;
      }
      assert.ok(count > 60, String(count));
    });

    it('sets name and status, and keeps what is no personal data', async () => {
      const { body } = await client.call('GET', `/employees/${person.idOf('employees')}`);
      const { firstname, lastname, status, email, mobile, birthday, language_id, zip } = body;
      assert.deepEqual([firstname, lastname, status], ['Anonymised', 'Anonymised', 6]);
      assert.deepEqual([email, mobile, birthday, language_id, zip], [null, null, null, null, null]);
      for (const [name, value] of Object.entries(body))
        if (name.startsWith('dynamic_field_')) assert.equal(value, null, name);
      const livestamp = (await client.call('GET', `/livestamps/${person.idOf('livestamps')}`)).body;
      assert.deepEqual([livestamp.latitude, livestamp.longitude], [null, null]);
      for (const name of hanging())
        if (person.ids.has(name)) {
          const response = await client.call('GET', `/${name}?limit=1000&fields=${keyOf(name)}`);
          const ids = response.body.map((record: Record<string, number>) => record[keyOf(name)]);
          assert.ok(ids.includes(person.idOf(name)), name);
        }
    });

    it('keeps work and pay', async () => {
      assert.deepEqual(await readEarnings(), earnings);
      assert.ok((earnings as [readonly string[][]])[0].slice(0, 4).every(rows => rows.length > 0));
    });

    it('leaves the data of others as it is', async () => {
      assert.deepEqual(await readOthers(), others);
    });

    it('removes files that no other record refers to, with their content', async () => {
      assert.equal((await client.call('GET', `/files/${own.id}`)).status, 404);
      assert.equal((await client.call('GET', `/files/${shared.id}/content`)).status, 200);
      const keys: string[] = [];
      for await (const { key } of app.files.store.list(client.tenant.id)) keys.push(key);
      assert.ok(!keys.some(key => key.includes(own.path)));
      assert.ok(keys.some(key => key.includes(shared.path)));
    });

    it('changes nothing when repeated', async () => {
      const stored = await rowsOf(client);
      const response = await client.call('DELETE', `/employees/${person.idOf('employees')}?anonymize=true`);
      assert.equal(response.status, 204, response.text);
      assert.deepEqual(await rowsOf(client), stored);
    });

    it('leaves repetitions of earlier writes without effect', async () => {
      const stored = await rowsOf(client);
      const responses = await person.repeat();
      assert.ok(responses.some(({ status }) => status === 409));
      for (const { status, text, body } of responses) {
        assert.ok(!text.includes(word), text);
        if (status >= 300) assert.equal(body.code, 'response_not_kept');
      }
      assert.deepEqual(await rowsOf(client), stored);
    });
  });

  describe('DELETE /contacts/{id}?anonymize=true', () => {
    it('clears the contact and signatures, also in kept responses with the name, and keeps what the contact belongs to', async () => {
      const scene = new Scene(client);
      const name = {
        firstname: 'Heron5d',
        lastname: 'Heron5d',
        email: 'heron5d@client.example',
        mobile: '+49 30 55512345',
      };
      const contact = await scene.create('contacts', name);
      const file = await scene.create('files');
      const proposal = await scene.create('work-time-proposals', {
        signed_by_type: 'contact',
        signed_by_id: contact,
        signature_file_id: file,
        remarks: 'Of the employee',
      });
      const { client_id } = (await client.call('GET', `/contacts/${contact}`)).body;
      const project_id = await scene.create('projects', { client_id, contact_id: contact });
      const event = await scene.create('events', { client_id, project_id, contact_id: contact });
      const headers = { 'Idempotency-Key': 'of an event' };
      const send = () => client.call('PUT', `/events/${event}`, { headers, body: { name: 'Another' } });
      assert.match((await send()).text, /Heron5d/);
      assert.equal((await client.call('DELETE', `/contacts/${contact}?anonymize=true`)).status, 204);
      const { body } = await client.call('GET', `/contacts/${contact}`);
      const { firstname, lastname, email, mobile, status } = body;
      assert.deepEqual([firstname, lastname, email, mobile, status], ['Anonymised', 'Anonymised', null, null, 2]);
      assert.deepEqual(await tablesWith(client, 'Heron5d'), []);
      const { signature_file_id, remarks } = (await client.call('GET', `/work-time-proposals/${proposal}`)).body;
      assert.deepEqual([signature_file_id, remarks], [null, 'Of the employee']);
      assert.equal((await client.call('GET', `/files/${file}`)).status, 404);
      const again = await send();
      assert.deepEqual([again.status, again.body.code], [409, 'response_not_kept']);
      assert.equal((await client.call('DELETE', `/contacts/${contact}`)).body.code, 'still_referenced');
    });
  });

  describe('DELETE of a person', () => {
    it('without anonymize is 409 while others refer to the record, and 204 otherwise', async () => {
      const scene = new Scene(client);
      const employee = await scene.create('employees');
      const busy = await scene.create('busy-dates', { employee_id: employee });
      for (const query of ['', '?anonymize=false']) {
        const response = await client.call('DELETE', `/employees/${employee}${query}`);
        assert.deepEqual([response.status, response.body.code], [409, 'still_referenced']);
      }
      await client.call('DELETE', `/busy-dates/${busy}`);
      assert.equal((await client.call('DELETE', `/employees/${employee}`)).status, 204);
      assert.equal((await client.call('DELETE', `/employees/${employee}?anonymize=true`)).status, 404);
    });

    it('takes anonymize as a flag only, and only of people', async () => {
      const scene = new Scene(client);
      const employee = await scene.create('employees');
      const wrong = await client.call('DELETE', `/employees/${employee}?anonymize=perhaps`);
      assert.deepEqual([wrong.status, wrong.body.code], [400, 'invalid_parameter']);
      const busy = await scene.create('busy-dates', { employee_id: employee });
      const unknown = await client.call('DELETE', `/busy-dates/${busy}?anonymize=true`);
      assert.deepEqual([unknown.status, unknown.body.code], [400, 'unknown_field']);
    });
  });
});

const keyOf = (name: string): string => (name.startsWith('availability-requests-') ? 'availability_request_id' : 'id');
