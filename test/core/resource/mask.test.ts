import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Mask } from '../../../src/core/resource/mask.ts';
import { type MaskedSchema, masked, maskOf, withoutHidden } from '../../../src/core/resource/mask.ts';

const schema: MaskedSchema = {
  properties: {
    name: {},
    pay: { 'x-sensitive': 'pay' },
    count: { 'x-counts': 'items' },
    items: {
      items: {
        properties: {
          id: {},
          type: { 'x-sensitive-values': { signature: 'identity' } },
          remarks: { 'x-sensitive': 'personal' },
        },
      },
    },
  },
};
const all = maskOf(schema, ['pay', 'personal', 'identity']) as Mask;

describe('a mask', () => {
  it('is none where nothing is hidden', () => {
    assert.equal(maskOf(schema, []), null);
    assert.equal(maskOf(schema, ['health']), null);
  });

  it('leaves out members at any depth and objects by their kind, and counts what is left', () => {
    const value = {
      name: 'a',
      pay: 5,
      count: 2,
      items: [
        { id: 1, type: 'form', remarks: 'b' },
        { id: 2, type: 'signature', remarks: null },
      ],
    };
    assert.deepEqual(masked(all, value), { name: 'a', count: 1, items: [{ id: 1, type: 'form' }] });
    assert.deepEqual(masked(maskOf(schema, ['pay']) as Mask, value), { name: 'a', count: 2, items: value.items });
  });

  it('follows references and alternatives, but not in circles', () => {
    const components: Readonly<Record<string, MaskedSchema>> = {
      one: { anyOf: [{ $ref: 'two' }, {}] },
      two: { properties: { secret: { 'x-sensitive': 'pay' } } },
      circle: { properties: { next: { $ref: 'circle' } } },
    };
    const resolve = (name: string) => components[name];
    assert.deepEqual(masked(maskOf({ $ref: 'one' }, ['pay'], resolve) as Mask, { secret: 1, open: 2 }), { open: 2 });
    assert.throws(() => maskOf({ $ref: 'circle' }, ['pay'], resolve), /recursive/);
  });

  it('takes hidden members from a schema, so that they are unknown', () => {
    const closed = {
      type: 'object',
      required: ['name', 'pay'],
      additionalProperties: false,
      properties: { name: {}, pay: { 'x-sensitive': 'pay' } },
    };
    assert.deepEqual(withoutHidden(closed, ['pay']), { ...closed, required: ['name'], properties: { name: {} } });
  });
});
