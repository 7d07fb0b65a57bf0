import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import { modules } from '../../src/core/resource/modules.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { plan, type Schema } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { readsOf } from '../../src/query/reads.ts';

const schema: Schema = {
  resources,
  fields: { get: fieldsOf },
  limits: defaultLimits,
  principal: { tenant: { timeZone: 'UTC', modules: new Set(modules) } },
};

const readBy = (resource: Resource, ...parameters: Parameter[]): readonly string[] | null => {
  const names = readsOf(plan(parseQuery(parameters), resource, schema), resources);
  return names && [...names].sort();
};

const { assignments, clients, events } = resources;
const derived = ['assignments', 'event-functions', 'events', 'projects'];

const cases: [what: string, resource: Resource, parameters: Parameter[], want: readonly string[]][] = [
  ['own fields read the resource alone', clients, [['fields', 'id,company']], ['clients']],
  ['a derived field reads where it comes from', assignments, [['fields', 'client_id']], derived],
  [
    'so does a filter by one',
    assignments,
    [
      ['fields', 'id'],
      ['client_id', '1'],
    ],
    derived,
  ],
  [
    'and a sort by one',
    assignments,
    [
      ['fields', 'id'],
      ['sort', 'client_id'],
    ],
    derived,
  ],
  [
    'an embed reads its resource',
    events,
    [
      ['fields', 'id'],
      ['embed', 'project.name'],
    ],
    ['events', 'projects'],
  ],
];

for (const [what, resource, parameters, want] of cases)
  test(what, () => assert.deepEqual(readBy(resource, ...parameters), want));

test('a plan that reads what is not in the journal has no known reads', () => {
  const unjournalled = Object.values<Resource>(resources).filter(resource => resource.unjournalled);
  assert.notEqual(unjournalled.length, 0);
  for (const resource of unjournalled) assert.equal(readBy(resource), null, resource.name);
});
