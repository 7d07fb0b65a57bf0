import assert from 'node:assert/strict';
import type { Client } from '../support/app.ts';

/** Returns the id of the form of a resource. */
export const formOf = async (of: Client, entity = 'clients'): Promise<number> => {
  const { body } = await of.call('GET', `/forms?entity=${entity}`);
  return body[0].id;
};

/** Adds an attribute to the form of clients, and returns the name of its field. */
export const addAttribute = async (of: Client, type: string, more: object = {}): Promise<string> => {
  const body = { name: `A ${type}`, type, ...more };
  const response = await of.call('POST', `/forms/${await formOf(of)}/attributes`, { body });
  assert.equal(response.status, 201, response.text);
  return `dynamic_field_${response.body.id}`;
};

/** Adds a collection with so many values. */
export const collection = async (
  of: Client,
  name: string,
  count: number,
): Promise<{ id: number; values: number[] }> => {
  const { body } = await of.call('POST', '/collections', { body: { name } });
  const values: number[] = [];
  for (let index = 0; index < count; index++) {
    const made = await of.call('POST', `/collections/${body.id}/value`, { body: { name: `${name} ${index}` } });
    values.push(made.body.id);
  }
  return { id: body.id, values };
};
