import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { referencesOf } from '../../src/core/resource/references.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { addAttribute } from '../attributes/scene.ts';
import { createQualification } from '../domain/staffing/scene.ts';
import type { ApiResponse } from '../support/app.ts';
import { useHoldable } from '../support/held-table.ts';
import { operationOf } from '../support/operations.ts';
import { needsApproval, Scene } from '../support/scene.ts';

const table: Readonly<Record<string, Resource>> = resources;

/** What a record must have beside the reference. */
const demanded: Readonly<Record<string, object>> = { attributes: { type: 'select' } };

/** A record that refers to another one, which can become inactive. */
interface Referring {
  readonly name: string;
  readonly resource: string;
  /** The resource of the other record. */
  readonly target: string;
  /** Makes the other record: returns the body that refers to it, its path, and the body that makes it inactive. */
  make(): Promise<{ readonly body: object; readonly path: string; readonly ending: object }>;
}

describe('a reference and the end of what it refers to, at once', () => {
  const { client, hold } = useHoldable();
  const scene = new Scene(client);

  const records = Object.values(table).flatMap(({ name: resource, fields }): Referring[] => {
    const operation = operationOf(resource, 'create');
    if (operation?.verb !== 'create') return [];
    return fields.flatMap((field: Field) => {
      const [reference] = referencesOf(field);
      const target = reference && table[reference.resource];
      const isWritten = field.access !== 'read' && !field.judged && field.type === 'integer' && !reference?.when;
      // One that stands under another of its own resource is held back with it; the path names a parent.
      const isOther = target?.name !== resource && operation.parent?.field !== field.name;
      if (!target?.inactive || !isWritten || !isOther || needsApproval(resource, field.name)) return [];
      const { inactive } = target;
      const make = async () => {
        const id = await scene.create(target.name);
        const path = await scene.recordPath(target.name, id);
        // A contact is of the same client as what names it.
        const { client_id } = (await client.call('GET', path)).body;
        const same = target.name === 'contacts' ? { client_id } : {};
        const body = await scene.bodyOf(resource, { [field.name]: id, ...same, ...demanded[resource] });
        return { body, path, ending: { [inactive.field]: inactive.value } };
      };
      return [{ name: `${resource}.${field.name}`, resource, target: target.name, make }];
    });
  });

  const collectionOfQualifications = async (): Promise<number> =>
    (await client.call('GET', '/collections?identifier=qualifications')).body[0].id;
  const choices: readonly Referring[] = [
    {
      name: 'employees.qualifications',
      resource: 'employees',
      target: 'collection-values',
      make: async () => {
        const id = await createQualification(client);
        const path = `/collections/${await collectionOfQualifications()}/value/${id}`;
        return {
          body: { firstname: 'A', lastname: 'B', qualifications: [id] },
          path,
          ending: { deleted: 1 },
        };
      },
    },
    {
      name: 'a select of the tenant',
      resource: 'clients',
      target: 'collection-values',
      make: async () => {
        const { id: collection_id, value, field } = await newSelect();
        const path = `/collections/${collection_id}/value/${value}`;
        return { body: { company: 'C', [field]: value }, path, ending: { deleted: 1 } };
      },
    },
    {
      name: 'a select whose collection is deleted',
      resource: 'clients',
      target: 'collections',
      make: async () => {
        const { id, value, field } = await newSelect();
        return {
          body: { company: 'C', [field]: value },
          path: `/collections/${id}`,
          ending: { deleted: 1 },
        };
      },
    },
  ];
  const newSelect = async () => {
    const { id } = (await client.call('POST', '/collections', { body: { name: 'Sizes' } })).body;
    const made = await client.call('POST', `/collections/${id}/value`, { body: { name: 'M' } });
    const field = await addAttribute(client, 'select', { collection_id: id });
    return { id, value: made.body.id as number, field };
  };

  it('are tried with all resources that have an inactive state', () => {
    // No body that creates a record names a component of billing.
    const ended = Object.values(table).filter(({ name, inactive }) => inactive && name !== 'billing-components');
    const tried = new Set([...records, ...choices].map(({ target }) => target));
    assert.deepEqual([...tried].sort(), ended.map(({ name }) => name).sort());
  });

  /** Sends a request, and returns its response and whether it has come. */
  const start = (method: string, path: string, body: object) => {
    const request: { response: Promise<ApiResponse>; ended: boolean } = {
      response: client.call(method, path, { body }).finally(() => {
        request.ended = true;
      }),
      ended: false,
    };
    return request;
  };

  for (const { name, resource, target, make } of [...records, ...choices]) {
    it(`${name}: what has been checked is stored before the other record becomes inactive`, async () => {
      const { body, path, ending } = await make();
      const cursor = (await client.call('GET', '/changes?after=now')).body.next;
      await using held = await hold((table[resource] as Resource).table);
      const referring = start('POST', await scene.pathOf(operationOf(resource, 'create') as never), body);
      await held.waiting(1, () => referring.ended);
      const other = start('PUT', path, ending);
      await held.waiting(2, () => other.ended);
      await held.release();
      const [made, changed] = [await referring.response, await other.response];
      assert.deepEqual([made.status, changed.status], [201, 200], made.text + changed.text);
      const { changes } = (await client.call('GET', `/changes?after=${cursor}&resource=${resource},${target}`)).body;
      const order = changes.map(({ resource, change }: Record<string, string>) => `${resource} ${change}`);
      assert.ok(order.indexOf(`${resource} created`) < order.indexOf(`${target} updated`), order.join());
    });

    it(`${name}: what is checked while the other record becomes inactive waits, and is rejected`, async () => {
      const { body, path, ending } = await make();
      await using held = await hold((table[target] as Resource).table);
      const other = start('PUT', path, ending);
      await held.waiting(1, () => other.ended);
      const referring = start('POST', await scene.pathOf(operationOf(resource, 'create') as never), body);
      await held.waiting(2, () => referring.ended);
      await held.release();
      const [made, changed] = [await referring.response, await other.response];
      assert.deepEqual([changed.status, made.status], [200, 422], changed.text + made.text);
      assert.ok(
        made.body.errors.some(({ code }: { code: string }) => code === 'reference_inactive'),
        made.text,
      );
    });
  }
});
