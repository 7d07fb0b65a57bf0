import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Json } from '../../src/core/call/reply.ts';
import { type FieldError, fieldError } from '../../src/core/errors.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import { draftCreate, draftUpdate, withoutSurplus } from '../../src/engine/body.ts';

const set = fieldsOf(resources.functions);
const zone = 'Europe/Berlin';
const codes = (errors: readonly FieldError[]) => errors.map(({ field, code }) => `${field} ${code}`);

describe('what the document’s schema finds wrong with a body', () => {
  const found = (field: string) => [fieldError('out_of_range', field)];
  const cases: [label: string, body: Record<string, Json>, field: string, create: string[], update: string[]][] = [
    ['counts for a value that is written', { name: 'x' }, 'name', ['name out_of_range'], ['name out_of_range']],
    ['counts inside of such a value', { name: 'x' }, 'name.0.a', ['name.0.a out_of_range'], ['name.0.a out_of_range']],
    [
      'gives way to what the engine finds',
      { name: 'x', description: 1 },
      'description',
      ['description invalid_type'],
      ['description invalid_type'],
    ],
    ['is ignored for a value that is there already', { name: 'old' }, 'name', ['name out_of_range'], []],
    [
      'is ignored for a value that no PUT writes',
      { name: 'x', created_at: 1 },
      'created_at',
      ['created_at read_only'],
      [],
    ],
    ['is ignored for a value that is not there', { name: 'x' }, 'namesake', [], []],
  ];
  for (const [label, body, field, create, update] of cases) {
    it(label, () => {
      assert.deepEqual(codes(draftCreate(set, body, zone, found(field)).errors), create);
      assert.deepEqual(codes(draftUpdate(set, body, { name: 'old' }, zone, found(field)).errors), update);
    });
  }
});

describe('a body with very many unknown members', () => {
  const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 1]));

  it('keeps the first of them, every known one, and the number of the others', () => {
    const { body, surplus } = withoutSurplus(set, { ...unknown, name: 'F', project_leader: 1 }, new Set());
    assert.deepEqual(Object.keys(body), [...Object.keys(unknown).slice(0, 100), 'name', 'project_leader']);
    assert.equal(surplus, 89_900);
  });

  it('keeps references by external id, records sent back as they were read, and deleted fields', () => {
    const events = fieldsOf(resources.events);
    const given = { ...unknown, project: { external_id: 'P-1' }, eventProject: { id: 1 }, dynamic_field_9: 1 };
    const { body } = withoutSurplus(
      { ...events, deleted: new Map([['dynamic_field_9', {}]]) },
      given,
      new Set(['project', 'eventProject']),
    );
    assert.deepEqual(Object.keys(body).slice(100), ['project', 'eventProject', 'dynamic_field_9']);
  });

  it('stays as it is below their number', () => {
    const body = Object.fromEntries(Object.entries(unknown).slice(0, 100));
    assert.equal(withoutSurplus(set, body, new Set()).body, body);
  });
});
