import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { Parameter } from '../../src/core/call/parameter.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import type { Member } from '../../src/core/resource/representation.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { type PlanContext, plan } from '../../src/query/plan.ts';
import { parseQuery } from '../../src/query/query.ts';
import { represent } from '../../src/query/representation.ts';

const schema = {
  resources,
  fields: { get: fieldsOf },
  limits: defaultLimits,
  principal: { tenant: { timeZone: 'UTC', modules: new Set() } },
} as unknown as PlanContext;

/** The members of what a query of assignments selects. */
const membersOf = (...parameters: readonly Parameter[]): readonly Member[] =>
  represent(plan(parseQuery(parameters), resources.assignments, schema), []).members;

const same: readonly [selects: string, parameters: readonly Parameter[]][] = [
  ['all fields', []],
  ['some fields', [['fields', 'id,event']]],
  ['relations', [['embed', 'employee,client.city,event']]],
  [
    'some fields and a relation',
    [
      ['fields', 'status,id'],
      ['embed', 'employee.id'],
    ],
  ],
];

for (const [selects, parameters] of same)
  test(`what is compiled for a query that selects ${selects} is found again by the next one`, () => {
    const members = membersOf(...parameters);
    assert.ok(members.length > 0);
    assert.equal(membersOf(['limit', '10'], ...parameters), members);
  });

test('selections that differ in a name, in their order or in the name of a relation have members of their own', () => {
  const asked = ['id,status', 'status,id', 'id,status,remarks'].flatMap((fields): (readonly Parameter[])[] => [
    [['fields', fields]],
    [
      ['fields', fields],
      ['embed', 'event'],
    ],
    [
      ['fields', fields],
      ['embed', 'employee'],
    ],
    [
      ['fields', fields],
      ['embed', 'employee.id'],
    ],
    [
      ['fields', fields],
      ['embed', 'event,employee'],
    ],
  ]);
  const members = asked.map(parameters => membersOf(...parameters));
  assert.equal(new Set(members).size, asked.length);
  for (const [index, parameters] of asked.entries()) {
    const [[, fields = ''] = [], [, embed = ''] = []] = parameters;
    const relations = embed
      .split(',')
      .map(name => name.split('.')[0])
      .filter(Boolean);
    assert.deepEqual(
      members[index]?.map(({ name }) => name),
      [...fields.split(','), ...relations],
    );
  }
});

test('what is compiled is kept for a limited number of selections, since requests can name relations in any order', () => {
  const all: Readonly<Record<string, Resource>> = resources;
  const names = resources.assignments.relations.flatMap(({ name, resource }) =>
    all[resource]?.module === null ? [name] : [],
  );
  const pairs = names.flatMap(one => names.filter(other => other !== one).map(other => [one, other]));
  const orders = pairs.flatMap(pair =>
    names.filter(other => !pair.includes(other)).map(third => [...pair, third].join()),
  );
  assert.ok(orders.length > 1000, String(orders.length));
  const [first = '', ...others] = orders;
  const members = membersOf(['embed', first]);
  assert.equal(membersOf(['embed', first]), members);
  for (const embed of others) membersOf(['embed', embed]);
  assert.notEqual(membersOf(['embed', first]), members);
  assert.deepEqual(membersOf(['embed', first]), members);
});
