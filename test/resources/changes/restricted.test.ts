import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AvailabilityRequests, pair } from '../../domain/availability/scene.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { age } from './age.ts';

const shift = ['2027-03-01T08:00:00Z', '2027-03-01T16:00:00Z'] as const;

forAnyApp((client, app) => {
  const staffing = new Staffing(client);

  /** Returns what the reader is shown of the changes that the work makes. */
  const shownTo = async (reader: Pick<Client, 'call'>, work: () => Promise<unknown>, query = '') => {
    const { body: before } = await reader.call('GET', '/changes?after=now');
    await work();
    const { status, body, text } = await reader.call('GET', `/changes?after=${before.next}${query}`);
    assert.equal(status, 200, text);
    assert.equal(body.caught_up, 1);
    return body.changes as Readonly<Record<string, unknown>>[];
  };
  const put = async (path: string, body: object): Promise<void> => {
    const response = await client.call('PUT', path, { body });
    assert.equal(response.status, 200, response.text);
  };

  describe('the entry of a change of hidden fields only', () => {
    it('comes with `updated_at`, which its reader sees move', async () => {
      const reader = await restricted(app, client, { hidden: ['personal'] });
      const employee = await staffing.employee();
      await age(client, 'employees');
      const [entry, ...others] = await shownTo(reader, () => put(`/employees/${employee}`, { birthday: '1990-01-02' }));
      assert.deepEqual([entry?.resource, entry?.id, entry?.fields], ['employees', employee, ['updated_at']]);
      assert.deepEqual(others, []);
    });

    it('comes if the record differs that its reader is shown, not with the same second as its last change', async () => {
      const reader = await restricted(app, client, { hidden: ['contact'] });
      const path = `/employees/${await staffing.employee()}`;
      for (const mobile of ['+49 170 1000001', '+49 170 1000002', '+49 170 1000003']) {
        const before = await reader.call('GET', path);
        const shown = await shownTo(reader, () => put(path, { mobile }));
        const after = await reader.call('GET', path);
        const differs = before.body.updated_at !== after.body.updated_at;
        assert.equal(shown.length, differs ? 1 : 0);
        assert.equal(before.headers.etag === after.headers.etag, !differs);
      }
    });

    it('is left out if nothing moves that its reader sees', async () => {
      const reader = await restricted(app, client, { hidden: ['identity'] });
      const assignment_id = await staffing.assignment(
        await staffing.employee(),
        await staffing.place(await staffing.event(...shift)),
        6,
      );
      const { body: checkin, text } = await client.call('POST', '/checkins', {
        body: { assignment_id, type: 1, source: 1, timestamp: shift[0] },
      });
      assert.ok(checkin.id, text);
      const path = `/checkins/${checkin.id}`;
      assert.deepEqual(await shownTo(reader, () => put(path, { hash: 'a' })), []);
      const [entry] = await shownTo(reader, () => put(path, { timestamp: '2027-03-01T08:05:00Z', hash: 'b' }));
      assert.deepEqual(entry?.fields, ['timestamp']);
    });
  });

  describe('the entry of a change of sensitive parts of a JSON value only', () => {
    /** Returns whether each reader is shown the field's name in an entry of what the PUT changes. */
    const named = async (path: string, field: string, value: unknown, readers: readonly Pick<Client, 'call'>[]) => {
      const { body: before } = await client.call('GET', '/changes?after=now');
      await put(path, { [field]: value });
      const found = readers.map(async reader => {
        const { body } = await reader.call('GET', `/changes?after=${before.next}`);
        const names = (body.changes as { fields: string[] }[]).flatMap(({ fields }) => fields);
        assert.ok(names.every(name => /^\w+$/.test(name) && names.indexOf(name) === names.lastIndexOf(name)));
        return names.includes(field);
      });
      return Promise.all(found);
    };

    it('names the field for those only who see one of them', async () => {
      const readers = [
        client,
        await restricted(app, client, { hidden: ['health'] }),
        await restricted(app, client, { hidden: ['personal', 'health'] }),
      ];
      const path = `/availability-requests-availabilities/${await new AvailabilityRequests(client).createDefined()}`;
      const item = (available: number, remarks: string) => ({ ...pair('2026-07-01', 1), available, remarks });
      const names = (items: object[]) => named(`${path}?force=true`, 'availabilities', items, readers);
      await put(`${path}?force=true`, { availabilities: [item(1, 'A')] });
      assert.deepEqual(await names([item(1, 'B')]), [true, true, false]);
      assert.deepEqual(await names([item(0, 'B')]), [true, true, true]);
      assert.deepEqual(await names([item(1, 'C')]), [true, true, true]);
    });

    it('that are values of attributes, too', async () => {
      const entity_id = await staffing.create('forms', { name: 'Report', entity: 'assignment-employment-reports' });
      const attribute = (name: string, category: string | null) =>
        staffing.create('attributes', { entity_id, name, type: 'text', category });
      const [ill, pay, open] = [
        await attribute('Ill', 'health'),
        await attribute('Bonus', 'pay'),
        await attribute('Weather', null),
      ];
      const readers = [
        client,
        await restricted(app, client, { hidden: ['health'] }),
        await restricted(app, client, { hidden: ['health', 'pay'] }),
      ];
      const place = await staffing.place(await staffing.event(...shift));
      const assignment_id = await staffing.assignment(await staffing.employee(), place, 6);
      const data = (...values: string[]) =>
        [ill, pay, open].map((attribute_id, index) => ({ attribute_id, value: values[index] ?? '' }));
      const report = await staffing.create('assignment-employment-reports', {
        assignment_id,
        data: data('a', 'a', 'a'),
      });
      const names = (...values: string[]) =>
        named(`/assignment-employment-reports/${report}`, 'data', data(...values), readers);
      assert.deepEqual(await names('b', 'a', 'a'), [true, false, false]);
      assert.deepEqual(await names('c', 'c', 'a'), [true, true, false]);
      assert.deepEqual(await names('c', 'c', 'd'), [true, true, true]);
    });
  });

  describe('the entries of an attribute of a hidden category', () => {
    it('do not exist, but for the change that hides or shows it', async () => {
      const [reader, other] = [
        await restricted(app, client, { hidden: ['pay'] }),
        await restricted(app, client, { hidden: ['health'] }),
      ];
      const entity_id = await staffing.create('forms', { name: 'Pay', entity: 'assignment-employment-reports' });
      const add = (category: string | null) => staffing.create('attributes', { entity_id, name: 'A', category });
      let id = 0;
      const changes = [
        async () => {
          id = await add('pay');
        },
        () => put(`/attributes/${id}`, { name: 'B' }),
        () => put(`/attributes/${id}`, { category: null }),
        () => put(`/attributes/${id}`, { category: 'pay' }),
        async () => assert.equal((await client.call('DELETE', `/attributes/${id}`)).status, 204),
      ];
      const told: (readonly unknown[])[] = [];
      for (const change of changes) {
        const { next } = (await client.call('GET', '/changes?after=now')).body;
        await change();
        const of = async (by: Pick<Client, 'call'>) =>
          (await by.call('GET', `/changes?after=${next}&resource=attributes`)).body.changes.map(
            (entry: { change: string; fields: string[] }) =>
              [entry.change, entry.fields.includes('category')].join(' '),
          );
        told.push([...(await of(reader)), '|', ...(await of(other))]);
      }
      assert.deepEqual(told, [
        ['|', 'created true'],
        ['|', 'updated false'],
        ['updated true', '|', 'updated true'],
        ['updated true', '|', 'updated true'],
        ['|', 'deleted false'],
      ]);
      assert.deepEqual(
        await shownTo(reader, () => add('health').then(() => add(null)), '&resource=attributes').then(
          all => all.length,
        ),
        2,
      );
    });
  });

  describe('the entries of an attribute that had a hidden category', () => {
    it('do not exist where it had that category at the change, whatever it has since', async () => {
      const entity_id = await staffing.create('forms', { name: 'Once', entity: 'assignment-employment-reports' });
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const id = await staffing.create('attributes', { entity_id, name: 'A', category: 'pay' });
      for (const change of [{ name: 'B' }, { category: null }, { name: 'C' }]) await put(`/attributes/${id}`, change);
      const told = async (by: Pick<Client, 'call'>) =>
        (await by.call('GET', `/changes?after=${next}&resource=attributes`)).body.changes.map(
          ({ change, fields }: { change: string; fields: string[] }) =>
            [change, fields.filter(name => name === 'name' || name === 'category')].join(' '),
        );
      const whole = ['created name,category', 'updated name', 'updated category', 'updated name'];
      assert.deepEqual(await told(client), whole);
      assert.deepEqual(await told(await restricted(app, client, { hidden: ['pay'] })), whole.slice(2));
    });
  });

  describe('the entries of an attribute that has been deleted', () => {
    it('do not exist for those from whom its category was hidden, whenever they are read', async () => {
      const entity_id = await staffing.create('forms', { name: 'Past', entity: 'assignment-employment-reports' });
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const id = await staffing.create('attributes', { entity_id, name: 'A', category: 'pay' });
      const open = await staffing.create('attributes', { entity_id, name: 'A' });
      for (const path of [`/attributes/${id}`, `/attributes/${open}`]) {
        await put(path, { name: 'B' });
        assert.equal((await client.call('DELETE', path)).status, 204);
      }
      const told = async (by: Pick<Client, 'call'>) =>
        (await by.call('GET', `/changes?after=${next}&resource=attributes`)).body.changes.map(
          (entry: { id: number; change: string; fields: string[] }) => [
            entry.id === id ? 'hidden' : 'open',
            entry.change,
            ...entry.fields.filter(name => name !== 'updated_at'),
          ],
        );
      const created = ['entity_id', 'id', 'name'];
      const of = (all: [string, string, ...string[]][]) => all.map(([which, change]) => `${which} ${change}`);
      const whole = await told(client);
      assert.deepEqual(of(whole), [
        'hidden created',
        'open created',
        'hidden updated',
        'hidden deleted',
        'open updated',
        'open deleted',
      ]);
      assert.ok(created.every(name => whole[0]?.includes(name)));
      assert.deepEqual(whole[2], ['hidden', 'updated', 'name']);
      assert.deepEqual(await told(await restricted(app, client, { hidden: ['health'] })), whole);
      const seen = await told(await restricted(app, client, { hidden: ['pay'] }));
      assert.deepEqual(of(seen), ['open created', 'open updated', 'open deleted']);
    });
  });

  describe('files of a reader with hidden categories, which exist if a field that it sees refers to them', () => {
    it('have the resources of these fields as sources in its document', async () => {
      const sourcesFor = async (reader: Pick<Client, 'call'>): Promise<unknown> =>
        (await reader.call('GET', '/openapi.json')).body.components.schemas.FileWithRelations['x-derived-from'];
      assert.equal(await sourcesFor(client), undefined);
      assert.deepEqual(await sourcesFor(await restricted(app, client, { hidden: ['identity'] })), [
        'assignment-contract',
        'attributes',
        'payroll-exports',
      ]);
      assert.deepEqual(await sourcesFor(await restricted(app, client, { hidden: ['health'] })), [
        'assignment-contract',
        'attributes',
        'payroll-exports',
        'work-time-proposals',
      ]);
    });
  });

  describe('the entry of a resource without read scope', () => {
    it('comes without fields, author and request if a field moves from which something readable is derived', async () => {
      const reader = await restricted(app, client, { scopes: ['events:read'] });
      const project_id = await staffing.create('projects', { name: 'Before' });
      await staffing.event(...shift, { project_id });
      const shown = await shownTo(reader, () => put(`/projects/${project_id}`, { name: 'After' }), '&include=record');
      const { position, at } = shown[0] ?? {};
      assert.deepEqual(shown, [{ position, at, resource: 'projects', id: project_id, change: 'updated' }]);
      assert.ok(Number.isInteger(position) && typeof at === 'string');
    });

    it('comes of a new record and of one that is removed, from which something readable is derived', async () => {
      const reader = await restricted(app, client, { scopes: ['projects:read'] });
      const shown = await shownTo(reader, async () => {
        const event = await staffing.event(...shift);
        assert.equal((await client.call('DELETE', `/events/${event}`)).status, 204);
      });
      assert.deepEqual(
        shown.filter(({ resource }) => resource === 'events').map(({ change }) => change),
        ['created', 'deleted'],
      );
    });

    it('is left out if nothing readable is derived from what moves', async () => {
      const reader = await restricted(app, client, { scopes: ['events:read'] });
      const project_id = await staffing.create('projects', { name: 'P' });
      const event_id = await staffing.event(...shift, { project_id });
      const employee = await staffing.employee();
      const shown = await shownTo(reader, async () => {
        await put(`/projects/${project_id}`, { description: 'secret' });
        await put(`/employees/${employee}`, { city: 'Kiel' });
        await client.call('POST', '/languages', { body: { code: 'da', name: 'Danish' } });
        await put(`/events/${event_id}`, { description: 'open' });
      });
      assert.deepEqual(
        shown.map(({ resource }) => resource),
        ['events'],
      );
    });

    it('is left out if what is derived is hidden from its reader too', async () => {
      const [sees, sees_not] = [
        await restricted(app, client, { scopes: ['wage-proposals:read'] }),
        await restricted(app, client, { scopes: ['wage-proposals:read'], hidden: ['pay'] }),
      ];
      const profile = await staffing.create('wage-profiles', { name: 'W', currency: 'EUR' });
      const type = await staffing.create('functions', { name: 'F' });
      const pay = (wage_profile_id: number | null) => () => put(`/functions/${type}`, { wage_profile_id });
      assert.equal((await shownTo(sees_not, pay(profile))).length, 0);
      assert.equal((await shownTo(sees, pay(null))).length, 1);
    });

    it('can’t be asked for by the name of the resource', async () => {
      const reader = await restricted(app, client, { scopes: ['events:read'] });
      const { status, body } = await reader.call('GET', '/changes?resource=events,projects');
      assert.deepEqual([status, body.code], [400, 'invalid_parameter']);
      assert.equal((await reader.call('GET', '/changes?resource=events')).status, 200);
    });

    it('tells who reads clients, contacts or employees when their fields are defined anew', async () => {
      const reader = await restricted(app, client, { scopes: ['contacts:read'] });
      const { body: forms } = await client.call('GET', '/forms?entity=contacts');
      const shown = await shownTo(reader, async () => {
        const id = await staffing.create('attributes', { entity_id: forms[0].id, name: 'Shirt', type: 'text' });
        await put(`/attributes/${id}`, { name: 'Shoe' });
        await put(`/attributes/${id}`, { category: 'health' });
        assert.equal((await client.call('DELETE', `/attributes/${id}`)).status, 204);
      });
      assert.deepEqual(
        shown.map(({ resource, change }) => [resource, change]),
        ['created', 'updated', 'deleted'].map(change => ['attributes', change]),
      );
    });
  });
});
