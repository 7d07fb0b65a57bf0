import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Call } from '../../src/core/call/call.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import { modules } from '../../src/core/resource/modules.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { fieldsFor } from '../../src/core/resource/view.ts';
import { planListing } from '../../src/query/listing.ts';
import { type PlanContext, plan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { basisOf } from '../../src/query/read.ts';

const schema: PlanContext = {
  resources,
  fields: { get: fieldsOf },
  limits: defaultLimits,
  principal: { tenant: { timeZone: 'UTC', modules: new Set(modules) } },
};

const readBy = (resource: Resource, ...parameters: Parameter[]): readonly string[] | null => {
  const basis = basisOf(plan(parseQuery(parameters), resource, schema), resources);
  return basis && [...basis.reads].sort();
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

test('a plan that reads what is not in the journal has no basis, alone and embedded', () => {
  const unjournalled = Object.values<Resource>(resources).filter(resource => resource.unjournalled);
  assert.notEqual(unjournalled.length, 0);
  for (const resource of unjournalled) assert.equal(readBy(resource), null, resource.name);
  assert.deepEqual(readBy(resources.automations), ['automations']);
  assert.equal(readBy(resources.automations, ['embed', 'deliveries']), null);
});

test('a plan that reads from a function, which may depend on the time, has none', () => {
  const called = Object.values<Resource>(resources).filter(resource => resource.called);
  assert.notEqual(called.length, 0);
  for (const resource of called) assert.equal(readBy(resource), null, resource.name);
});

test('a predefined listing reads what its filters read, by fields that no record shows as well', () => {
  const parameters: Parameter[] = [['fields', 'id']];
  const principal = { tenant: { timeZone: 'UTC', clockAhead: 0, modules: new Set(modules) }, apiUser: { id: 1 } };
  const call = { ...schema, principal, alias: 'open', parameters, parent: null } as unknown as Call;
  const basis = basisOf(planListing(call, assignments), resources);
  assert.ok(basis?.reads.has('events') && basis.reads.has('event-functions'));
});

test('what decides which records an API user may read is read, too', () => {
  const hidden = [
    ...new Set(Object.values<Resource>(resources).flatMap(({ fields }) => fields.flatMap(f => f.sensitive ?? []))),
  ];
  const fields = fieldsFor(schema.fields, { id: 7, scopes: [], hidden }, resources);
  const { restriction } = fields.get(resources.files);
  assert.ok(restriction && 'holders' in restriction && restriction.holders && restriction.holders.length > 0);
  assert.ok(restriction.guards.length > 0);
  const basis = basisOf(plan(parseQuery([['fields', 'id']]), resources.files, { ...schema, fields }), resources);
  const holders = [...restriction.holders, ...restriction.guards].map(({ resource }) => resource);
  assert.deepEqual([...(basis?.reads ?? [])].sort(), [...new Set(['files', ...holders])].sort());
});
