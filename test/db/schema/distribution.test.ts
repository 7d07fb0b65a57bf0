import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DistributionStep,
  type FoundDistribution,
  obstaclesOf,
  stepsOf,
} from '../../../src/db/schema/distribution/plan.ts';

/** A migrated database of a cluster that nothing has been distributed of. */
const fresh: FoundDistribution = {
  citus: '13.2-1',
  isCoordinator: true,
  workers: 2,
  sessions: 0,
  views: true,
  lacking: ['setting citus.propagate_set_commands'],
  functions: ['tenant_now()'],
  tables: ['journal', 'clients', 'contacts'].map(name => ({ name, distributed: false })),
  references: [{ table: 'contacts', name: 'client_id_fkey', definition: 'foreign key (…) references clients' }],
  aside: [],
};

/** Returns what a database has after a step. */
const after = (found: FoundDistribution, { what, kind, texts }: DistributionStep): FoundDistribution => {
  if (kind === 'alone') return { ...found, lacking: [] };
  if (kind === 'drop views') return { ...found, views: false };
  if (kind === 'make views') return { ...found, views: true };
  if (texts.some(text => text.includes('drop constraint')))
    return { ...found, references: [], aside: found.references };
  if (what.startsWith('Distribute function')) return { ...found, functions: found.functions.slice(1) };
  if (what.startsWith('Add foreign key')) return { ...found, aside: found.aside.slice(1) };
  const tables = found.tables.map(table =>
    what === `Distribute table ${table.name}` ? { ...table, distributed: true } : table,
  );
  return { ...found, tables };
};

const names = (found: FoundDistribution): string[] => stepsOf(found).map(({ what }) => what);

describe('the plan of a distribution', () => {
  const plan = [
    'Prepare nodes: setting citus.propagate_set_commands',
    'Drop views and functions',
    'Distribute function tenant_now()',
    'Set aside 1 foreign keys',
    'Distribute table journal',
    'Distribute table clients',
    'Distribute table contacts',
    'Add foreign key client_id_fkey of contacts',
    'Create views and functions',
  ];

  it('has the tables without the foreign keys that it puts back, and the views last', () =>
    assert.deepEqual(names(fresh), plan));

  it('goes on where it was stopped, after any number of steps', () => {
    let found = fresh;
    for (const [place, step] of stepsOf(fresh).entries()) {
      assert.deepEqual(names(found), plan.slice(place));
      found = after(found, step);
    }
    assert.deepEqual(names(found), []);
  });

  it('is empty for a distributed database, and has what a later migration leaves', () => {
    const done = stepsOf(fresh).reduce(after, fresh);
    assert.deepEqual(names(done), []);
    const [first, ...rest] = done.tables;
    const later = { ...done, tables: [...(first ? [first] : []), ...rest, { name: 'later', distributed: false }] };
    assert.deepEqual(names(later), [
      'Drop views and functions',
      'Distribute table later',
      'Create views and functions',
    ]);
  });

  it('copies rows of a table without its row security, which it has again at the end', () => {
    const { texts = [] } = stepsOf(fresh).find(({ what }) => what === 'Distribute table clients') ?? {};
    assert.match(texts[0] ?? '', /no force row level security, disable row level security$/);
    assert.match(texts[1] ?? '', /create_distributed_table\('"clients"', 'tenant_id', colocate_with => 'journal'\)/);
    assert.match(texts[2] ?? '', /truncate_local_data_after_distributing_table\('"clients"'\)/);
    assert.match(texts[3] ?? '', /enable row level security, force row level security$/);
  });
});

describe('what prevents a distribution', () => {
  const cases: [string, Partial<FoundDistribution>, RegExp][] = [
    ['no extension', { citus: null }, /no extension "citus"/],
    ['another node', { isCoordinator: false }, /not the coordinator/],
    ['no worker', { workers: 0 }, /no worker/],
    ['an instance that runs', { sessions: 2 }, /2 sessions of the service are open/],
  ];
  for (const [name, change, want] of cases)
    it(`is named: ${name}`, () => assert.match(obstaclesOf({ ...fresh, ...change }).join(' '), want));
  it('is nothing else', () => assert.deepEqual(obstaclesOf(fresh), []));
});
