import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { sweepFields } from '../../src/attributes/sweep.ts';
import { openDatabase } from '../../src/db/open.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { type Client, startApp } from '../support/app.ts';
import { inMemory, migratedUrl } from '../support/database.ts';
import { forAnyApp } from '../support/for-each-app.ts';

const idOf = (field: string): string => field.slice('dynamic_field_'.length);

/** Adds an attribute to the form of clients; the name of its field. */
const addField = async (client: Client, type: string, more: object = {}): Promise<string> => {
  const [form] = (await client.call('GET', '/forms?entity=clients')).body;
  const response = await client.call('POST', `/forms/${form.id}/attributes`, { body: { name: type, type, ...more } });
  assert.equal(response.status, 201, response.text);
  return `dynamic_field_${response.body.id}`;
};

forAnyApp((client, app) => {
  const make = (body: object, of = client) => of.call('POST', '/clients', { body: { company: 'C', ...body } });
  const upload = async (of = client) => (await of.call('POST', '/files', { body: Buffer.from('some bytes') })).body;

  describe('a field of the type file', () => {
    it('takes a file of the tenant, which then stays, in a slot or without one', async () => {
      const crowded = await app.newClient();
      const fields: string[] = [];
      for (let index = 0; index < 26; index++) fields.push(await addField(crowded, 'file'));
      const slots = await client.database.asOwner(crowded.tenant.id, ({ system }) =>
        sql<{ slot: string }>`select slot from dynamic_fields where tenant_id = ${crowded.tenant.id}`.execute(system),
      );
      assert.ok(slots.rows.some(({ slot }) => slot === 'more'));
      for (const field of [fields[0], fields.at(-1)] as string[]) {
        const file = await upload(crowded);
        const made = await make({ [field]: file.id }, crowded);
        assert.equal(made.body[field], file.id, made.text);
        assert.equal((await crowded.call('GET', `/clients?${field}=${file.id}&fields=id`)).body[0].id, made.body.id);
        const refused = await crowded.call('DELETE', `/files/${file.id}`);
        assert.deepEqual([refused.status, refused.body.code], [409, 'still_referenced']);
        assert.equal((await crowded.call('GET', `/files/${file.id}/content`)).text, 'some bytes');
        await crowded.call('PUT', `/clients/${made.body.id}`, { body: { [field]: null } });
        assert.equal((await crowded.call('DELETE', `/files/${file.id}`)).status, 204);
      }
    });

    it('refuses a file that does not exist, or is of another tenant', async () => {
      const field = await addField(client, 'file');
      const foreign = await upload(await app.newClient());
      for (const id of [foreign.id, 9_007_199_254_740_991]) {
        const { status, body } = await make({ [field]: id });
        assert.deepEqual([status, body.errors[0].code, body.errors[0].field], [422, 'reference_not_found', field]);
      }
      assert.equal((await make({ [field]: 'x' })).body.errors[0].code, 'invalid_type');
    });
  });

  it("a form's entity is a resource", async () => {
    for (const entity of ['nothing', 'constructor']) {
      const { status, body } = await client.call('POST', '/forms', { body: { name: 'F', entity } });
      assert.deepEqual([status, body.errors[0].code, body.errors[0].field], [422, 'not_in_enumeration', 'entity']);
    }
    assert.equal((await client.call('POST', '/forms', { body: { name: 'F', entity: 'events' } })).status, 201);
  });

  it("a form's entity changes only while the form has no attributes", async () => {
    const { body: form } = await client.call('POST', '/forms', { body: { name: 'F', entity: 'clients' } });
    const change = (entity: string) => client.call('PUT', `/forms/${form.id}`, { body: { entity } });
    assert.equal((await change('contacts')).body.entity, 'contacts');
    const { body: attribute } = await client.call('POST', `/forms/${form.id}/attributes`, { body: { name: 'A' } });
    const refused = await change('clients');
    assert.deepEqual(
      [refused.status, refused.body.errors[0].code, refused.body.errors[0].field],
      [422, 'read_only', 'entity'],
    );
    assert.equal((await client.call('GET', `/contacts?sort=dynamic_field_${attribute.id}`)).status, 200);
    assert.equal((await client.call('GET', `/clients?sort=dynamic_field_${attribute.id}`)).status, 400);
    assert.equal(
      (await client.call('PUT', `/forms/${form.id}`, { body: { ...form, entity: 'contacts', name: 'G' } })).body.name,
      'G',
    );
    await client.call('DELETE', `/attributes/${attribute.id}`);
    assert.equal((await change('clients')).body.entity, 'clients');
  });

  describe('what is left of a deleted field', () => {
    const stored = async (of: Client, slot: string) => {
      const { rows } = await client.database.asOwner(of.tenant.id, ({ system }) =>
        sql<{
          value: unknown;
        }>`select ${sql.id(slot)} as value from dynamic_clients where tenant_id = ${of.tenant.id} order by id`.execute(
          system,
        ),
      );
      return rows.map(({ value }) => value);
    };
    const slotOf = async (of: Client, field: string): Promise<string> => {
      const { rows } = await client.database.asOwner(of.tenant.id, ({ system }) =>
        sql<{
          slot: string;
        }>`select slot from dynamic_fields where tenant_id = ${of.tenant.id} and id = ${idOf(field)}`.execute(system),
      );
      return String(rows[0]?.slot);
    };

    it('is swept, and nothing else is; then its slot is given to the next field', async () => {
      const owner = await app.newClient();
      const { body: collection } = await owner.call('POST', '/collections', { body: { name: 'C' } });
      const { body: value } = await owner.call('POST', `/collections/${collection.id}/value`, { body: { name: 'V' } });
      const many = { collection_id: collection.id };
      const [text, kept, choices, keptChoices] = [
        await addField(owner, 'text'),
        await addField(owner, 'text'),
        await addField(owner, 'multi_select', many),
        await addField(owner, 'multi_select', many),
      ];
      const values = { [kept]: 'kept', [keptChoices]: [value.id] };
      const { body: record } = await make({ [text]: 'gone', [choices]: [value.id], ...values }, owner);
      const [slot, neighbour] = [await slotOf(owner, text), await slotOf(owner, kept)];
      for (const field of [text, choices]) await owner.call('DELETE', `/attributes/${idOf(field)}`);
      assert.deepEqual(await stored(owner, slot), ['gone']);
      assert.notEqual(await slotOf(owner, await addField(owner, 'text')), slot);
      await Promise.all([1, 2].map(() => sweepFields(client.database)));
      assert.deepEqual([await stored(owner, slot), await stored(owner, neighbour)], [[null], ['kept']]);
      assert.deepEqual(await stored(owner, 'more'), [{ [idOf(keptChoices)]: [value.id] }]);
      const shown = (await owner.call('GET', `/clients/${record.id}`)).body;
      assert.deepEqual({ [kept]: shown[kept], [keptChoices]: shown[keptChoices] }, values);
      // An hour later.
      await client.database.asOwner(owner.tenant.id, ({ system }) =>
        sql`update dynamic_fields set deleted_at = now() - interval '2 hours' where tenant_id = ${owner.tenant.id} and deleted_at is not null`.execute(
          system,
        ),
      );
      const next = await addField(owner, 'text');
      assert.equal(await slotOf(owner, next), slot);
      await owner.call('PUT', `/clients/${record.id}`, { body: { [next]: 'new' } });
      assert.equal(await sweepFields(client.database), 0);
      assert.deepEqual(await stored(owner, slot), ['new']);
      const { status, body } = await owner.call('GET', `/clients?fields=${text}`);
      assert.deepEqual([status, body.code], [410, 'field_deleted']);
    });
  });
});

it('two servers, each with connections of its own to one Postgres, know of a field and of its end at once', async () => {
  const url = await migratedUrl();
  const databases = [openDatabase({ ...inMemory, url }), openDatabase({ ...inMemory, url })] as const;
  const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
  const [one, other] = [await startApp(databases[0], { keys }), await startApp(databases[1], { keys })];
  try {
    const client = await one.newClient();
    const elsewhere: Client['call'] = (...asked) => other.callAs(client, ...asked);
    assert.equal((await elsewhere('GET', '/clients')).status, 200);
    const field = await addField(client, 'number');
    const made = await elsewhere('POST', '/clients', { body: { company: 'C', [field]: 5 } });
    assert.equal(made.body[field], 5, made.text);
    assert.equal((await client.call('GET', `/clients?${field}=>4`)).body[0][field], 5);
    assert.equal((await elsewhere('DELETE', `/attributes/${idOf(field)}`)).status, 204);
    const gone = await client.call('GET', `/clients?${field}=5`);
    assert.deepEqual([gone.status, gone.body.code], [410, 'field_deleted']);
  } finally {
    await Promise.all([one.close(), other.close()]);
    await Promise.all(databases.map(database => database.close()));
  }
});
