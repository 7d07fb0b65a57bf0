import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Category } from '../../src/core/resource/categories.ts';
import { createApiUser, updateApiUser } from '../../src/tenancy/api-users.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { Importer, send } from './importer.ts';

interface RowError {
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

/** An API user of a tenant. */
interface User extends Client {
  readonly id: number;
}

let count = 0;

forAnyApp((client, app) => {
  const importer = new Importer(app);

  const userOf = async (scopes: readonly string[], hidden: readonly Category[] = []): Promise<User> => {
    const name = `importer ${++count}`;
    const { id } = await createApiUser(client.database, client.tenant, { name, readOnly: false, scopes, hidden });
    const token = await app.tokenOf(client.tenant, id);
    const caller = { tenant: client.tenant, token };
    const call: Client['call'] = (...asked) => app.callAs(caller, ...asked);
    return { ...caller, id, call, database: client.database, readOnlyToken: token };
  };

  const hide = (user: User, hidden: readonly Category[]) =>
    updateApiUser(client.database, client.tenant, user.id, { hidden });

  /** Returns the same API user as an instance that has looked it up anew. */
  const freshly = async (user: User): Promise<User> => {
    const token = await app.tokenOf(client.tenant, user.id);
    return { ...user, call: (...asked) => app.callAs({ tenant: client.tenant, token }, ...asked) };
  };

  /** Sends rows and processes them; returns the path of the import. */
  const imported = async (sender: Pick<Client, 'call' | 'tenant'>, path: string, rows: readonly object[]) => {
    const accepted = await send(sender, path, rows);
    assert.equal(accepted.status, 202, accepted.text);
    await importer.work(sender);
    return `/imports/${accepted.body.id}`;
  };

  const errorsOf = async (reader: Pick<Client, 'call'>, path: string): Promise<readonly RowError[]> => {
    const { body } = await reader.call('GET', `${path}/results`);
    assert.ok(body.every(({ result }: { result: string }) => result === 'failed'));
    return body.flatMap(({ errors }: { errors: readonly RowError[] }) => errors);
  };

  /** Makes an attribute of employees with values of a collection; returns the name of its field. */
  const attributeOf = async (name: string) => {
    const { body: collection } = await client.call('POST', '/collections', { body: { name: `Badges ${name}` } });
    await client.call('POST', `/collections/${collection.id}/value`, {
      body: { name: 'Obsidian', identifier: 'obsidian' },
    });
    const { body: forms } = await client.call('GET', '/forms?entity=employees');
    const path = `/forms/${forms[0].id}/attributes`;
    const made = await client.call('POST', path, {
      body: { name, type: 'select', collection_id: collection.id },
    });
    assert.equal(made.status, 201, made.text);
    return { field: `dynamic_field_${made.body.id}`, path: `${path}/${made.body.id}` };
  };

  describe('the errors in results of imports', () => {
    const row = { firstname: 'Mira', lastname: 'Sand', mobile: 'zebra', email: 'zebra' };
    const about = (errors: readonly RowError[]) => errors.map(({ code, field }) => [code, field]);

    it('have only the code of those about fields that are hidden from the reader, whoever has sent the import', async () => {
      const path = await imported(client, '/employees/import', [{ ...row, status: 99, mobil: '1', lastnam: 'x' }]);
      const [reader, shown] = [await userOf([], ['contact']), await errorsOf(client, path)];
      assert.match(JSON.stringify(shown), /mobile/);
      const errors = await errorsOf(reader, path);
      assert.doesNotMatch(JSON.stringify(errors), /mobil|email|zebra/);
      assert.deepEqual(about(errors).toSorted(), [
        ['invalid_format', ''],
        ['invalid_format', ''],
        ['not_in_enumeration', 'status'],
        ['unknown_field', ''],
        ['unknown_field', ''],
      ]);
      const ofStatus = ({ field }: RowError) => field === 'status';
      assert.deepEqual(errors.filter(ofStatus), shown.filter(ofStatus));
    });

    it('lose what is hidden after the import has run', async () => {
      const sender = await userOf([]);
      const path = await imported(sender, '/employees/import', [row]);
      assert.match(JSON.stringify(await errorsOf(sender, path)), /mobile/);
      await hide(sender, ['contact']);
      for (const ending of ['', '.csv', '.ndjson']) {
        const { status, text } = await (await freshly(sender)).call('GET', `${path}/results${ending}`);
        assert.equal(status, 200, text);
        assert.match(text, /invalid_format/);
        assert.doesNotMatch(text, /mobile|email|zebra/);
      }
    });

    it('lose attributes that get a hidden category after the import, and the nearest values of their collections', async () => {
      const { field, path: attribute } = await attributeOf('Badge');
      const sender = await userOf([], ['health']);
      const path = await imported(sender, '/employees/import', [{ firstname: 'A', lastname: 'B', [field]: 'obsidan' }]);
      const [shown] = await errorsOf(sender, path);
      assert.deepEqual([shown?.code, shown?.field], ['not_in_collection', field]);
      assert.match(String(shown?.message), /obsidian/i);
      const changed = await client.call('PUT', attribute, { body: { category: 'health' } });
      assert.equal(changed.status, 200, changed.text);
      const [error] = await errorsOf(sender, path);
      assert.deepEqual([error?.code, error?.field], ['not_in_collection', '']);
      assert.doesNotMatch(JSON.stringify(error), /obsid|dynamic_field|Badges/i);
    });

    it('name no hidden field in a message about another one', async () => {
      const path = await imported(client, '/employees/import', [{ firstname: 'A', lastname: 'B', birthda: '1' }]);
      const [reader, all] = [await userOf([], ['personal']), await userOf([], ['pay'])];
      assert.match(JSON.stringify(await errorsOf(client, path)), /Did you mean birthday/);
      for (const user of [reader, all]) assert.doesNotMatch(JSON.stringify(await errorsOf(user, path)), /birthda/);
    });
  });

  describe('the scopes of an API user', () => {
    const failing = [{ city: 'Kiel' }];
    const ofClients = ['clients:read', 'clients:write'];

    const visible = async (reader: Pick<Client, 'call'>) =>
      (await reader.call('GET', '/imports')).body.map(({ id }: { id: number }) => `/imports/${id}`);
    const statusOf = async (reader: Pick<Client, 'call'>, path: string) => {
      const { status, body } = await reader.call('GET', path);
      return status === 200 ? status : `${status} ${body.code}`;
    };

    it('let read the imports that it has sent, and their results, with the scope of the resource', async () => {
      const sender = await userOf(ofClients);
      const other = await imported(client, '/clients/import', failing);
      const own = await imported(sender, '/clients/import', failing);
      assert.deepEqual(await visible(sender), [own]);
      assert.deepEqual(await statusOf(sender, own), 200);
      assert.equal((await errorsOf(sender, own)).length, 1);
      for (const ending of ['', '/results']) assert.equal(await statusOf(sender, other + ending), '404 not_found');
      await updateApiUser(client.database, client.tenant, sender.id, { scopes: ['contacts:read'] });
      const later = await freshly(sender);
      assert.deepEqual(await visible(later), []);
      for (const ending of ['', '/results']) assert.equal(await statusOf(later, own + ending), '404 not_found');
    });

    it('let read all imports with imports:read, and the results of resources that it may read', async () => {
      const path = await imported(client, '/clients/import', failing);
      const [both, one] = [await userOf(['imports:read', 'clients:read']), await userOf(['imports:read'])];
      for (const user of [both, one]) assert.equal(await statusOf(user, path), 200);
      assert.equal((await errorsOf(both, path)).length, 1);
      assert.equal(await statusOf(one, `${path}/results`), '403 scope_missing');
      assert.match((await one.call('GET', `${path}/results`)).body.message, /clients:read/);
    });
  });
});
