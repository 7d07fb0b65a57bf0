import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import type { Tenant } from '../../../src/core/principal.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import type { OwnerTransaction } from '../../../src/db/owner.ts';
import { forms } from '../../../src/domain/provision/predefined.ts';
import { createTenant, type NewTenant } from '../../../src/domain/provision/provision.ts';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { listTenants } from '../../../src/tenancy/directory.ts';
import { forAnyDatabase } from '../../support/database.ts';

test('every predefined attribute is bound to a field of its resource', () => {
  for (const { entity, attributes } of forms) {
    const table: Readonly<Record<string, Resource>> = resources;
    const fields = table[entity]?.fields ?? [];
    // The spec has the same attributes, by the same ids.
    assert.deepEqual(
      attributes.map(({ id, field, type }) => ({ field, id, type })),
      fields.flatMap(({ name, attribute }) => (attribute ? [{ field: name, ...attribute }] : [])),
    );
    for (const { field, required = false } of attributes) {
      const found = fields.find(({ name }) => name === field);
      assert.ok(found, `${entity}.${field}`);
      assert.equal(found.required ?? false, required, `${entity}.${field} is required`);
    }
  }
});

forAnyDatabase((name, getDatabase) => {
  const wanted = (slug: string, more: Partial<NewTenant> = {}): NewTenant => ({
    slug: `${slug}-${name}`,
    name: 'Acme',
    timeZone: 'Europe/Vienna',
    modules: ['billing'],
    hosts: [],
    ...more,
  });
  const create = (tenant: NewTenant) => createTenant(getDatabase(), tenant, 'staffing.test');

  describe('a new tenant', () => {
    let tenant: Tenant;
    const within = <T>(work: (kysely: OwnerTransaction['kysely']) => Promise<T>): Promise<T> =>
      getDatabase().asOwner(tenant.id, ({ kysely }) => work(kysely));

    before(async () => {
      await create(wanted('first'));
      tenant = await create(wanted('second', { hosts: [`jobs.${name}.example`] }));
    });

    test('is what was asked for', async () => {
      const entry = (await listTenants(getDatabase())).find(({ tenant: { id } }) => id === tenant.id);
      assert.deepEqual(entry?.tenant, tenant);
      assert.deepEqual(entry?.hosts, [`jobs.${name}.example`]);
      assert.equal(entry?.active, true);
    });

    test('has a form for each entity with attributes, which cannot be deleted', async () => {
      const rows = await within(kysely =>
        kysely
          .selectFrom('attributes')
          .innerJoin('forms', 'forms.id', 'attributes.entity_id')
          .select(['attributes.id', 'attributes.identifier', 'forms.entity', 'attributes.deletable'])
          .orderBy('attributes.id')
          .execute(),
      );
      const expected = forms.flatMap(({ entity, attributes }) =>
        attributes.map(({ id, field }) => ({ id, identifier: field, entity, deletable: false })),
      );
      assert.deepEqual(rows, expected);
      assert.deepEqual(rows[0], { id: 11, identifier: 'company', entity: 'clients', deletable: false });
    });

    test('has the collections that its selects offer', async () => {
      const rows = await within(kysely =>
        kysely
          .selectFrom('attributes')
          .innerJoin('collections', 'collections.id', 'attributes.collection_id')
          .innerJoin('collection_values', 'collection_values.collection_id', 'collections.id')
          .select([
            'attributes.identifier',
            'collections.identifier as collection',
            'collection_values.identifier as value',
          ])
          .execute(),
      );
      for (const { identifier, collection } of rows) assert.equal(collection, identifier);
      const values = new Set(rows.map(({ collection, value }) => `${collection} ${value}`));
      for (const value of ['country DE', 'country AT', 'gender female', 'gender diverse'])
        assert.ok(values.has(value), value);
    });

    test('has ids of user-created attributes from 1,001 on', async () => {
      const ids = await getDatabase().asOwner(tenant.id, transaction => transaction.newIds('attributes', 2));
      assert.deepEqual(ids, [1001, 1002]);
    });

    test('has one language and one wage profile, both the default', async () => {
      const languages = await within(kysely => kysely.selectFrom('languages').select(['code', 'is_default']).execute());
      const profiles = await within(kysely =>
        kysely.selectFrom('wage_profiles').select(['currency', 'is_default']).execute(),
      );
      assert.deepEqual(languages, [{ code: 'de', is_default: true }]);
      assert.deepEqual(profiles, [{ currency: 'EUR', is_default: true }]);
    });
  });

  describe('a tenant is refused', () => {
    test('if its slug is taken', async () => {
      await create(wanted('taken'));
      await assert.rejects(create(wanted('taken')), { name: 'InputError', message: /already/ });
    });

    test('if another one takes its slug or a host at the same time', async () => {
      for (const [slugs, hosts] of [
        [['twin', 'twin'], []],
        [['one', 'other'], [`twin.${name}.example`]],
      ] as const) {
        const results = await Promise.allSettled(slugs.map(slug => create(wanted(slug, { hosts }))));
        const [failed, ...others] = results.filter(({ status }) => status === 'rejected');
        assert.equal(others.length, 0);
        assert.match(String((failed as PromiseRejectedResult).reason), /^InputError: .*already/);
      }
    });

    test('as an API user is whose name another one takes at the same time', async () => {
      const tenant = await create(wanted('users'));
      const user = { name: 'integration', readOnly: false };
      const results = await Promise.allSettled([1, 2].map(() => createApiUser(getDatabase(), tenant, user)));
      const [failed, ...others] = results.filter(({ status }) => status === 'rejected');
      assert.equal(others.length, 0);
      assert.match(String((failed as PromiseRejectedResult).reason), /^InputError: .* already has an API user/);
    });

    test('if a host is taken, and nothing of it remains', async () => {
      await create(wanted('holder', { hosts: [`held.${name}.example`] }));
      const late = wanted('late', { hosts: [`held.${name}.example`] });
      await assert.rejects(create(late), { name: 'InputError', message: /addresses the tenant "holder-/ });
      await create({ ...late, hosts: [] });
    });

    test('if a host lies under the base domain', async () => {
      await assert.rejects(create(wanted('under', { hosts: ['other.staffing.test'] })), { name: 'InputError' });
    });
  });
});
