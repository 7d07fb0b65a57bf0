import type { Mutation } from '../../scripts/mutate/mutation.ts';

export default [
  {
    guarantee: 'Entries name the fields that the database computes.',
    file: 'src/engine/write.ts',
    find: '[...inheritedBy(set, values), ...computedBy(set, values)]',
    replace: '[...inheritedBy(set, values)]; void computedBy',
    tests: ['test/resources/changes/unchanged.test.ts'],
  },
  {
    guarantee: 'The document of a reader with hidden categories names what files are read from.',
    file: 'src/http/documents/hide.ts',
    find: 'if (resource.readWhereReferred) markReferring',
    replace: 'if (!resource) markReferring',
    tests: ['test/resources/changes/restricted.test.ts'],
  },
  {
    guarantee: 'The document of such a reader names what files are read from by fields that the tenant defines.',
    file: 'src/http/documents/document.ts',
    find: 'fields: extend(resource, attributes).fields',
    replace: 'fields: extend(resource, []).fields',
    tests: ['test/resources/changes/files.test.ts'],
  },
  {
    guarantee: 'Pending deliveries are kept, however old.',
    file: 'src/server/jobs/retention.ts',
    find: `'status <> 1 and `,
    replace: `'`,
    tests: ['test/server/jobs/retention.test.ts'],
  },
  {
    guarantee: 'Of several alternatives, the error of the one with the type of the value is reported.',
    file: 'src/core/violations.ts',
    find: '!mistyped.has(schemaOf(violation))',
    replace: 'mistyped.size >= 0',
    tests: ['test/domain/pay/refusals.test.ts'],
  },
  {
    guarantee: 'An action ignores what was read of the present record.',
    file: 'src/engine/references/settle.ts',
    find: 'const isCompared = id > 0 &&',
    replace: 'const isCompared = id < 0 &&',
    tests: ['test/engine/related.test.ts'],
  },
  {
    guarantee: 'A PUT keeps what its body does not give.',
    file: 'src/engine/body.ts',
    find: '  for (const [name, value] of Object.entries(body)) {',
    replace: `  const nothing = set.fields.filter(({ access, nullable, computed }) => access === 'write' && nullable && !computed);
  for (const [name, value] of Object.entries({ ...Object.fromEntries(nothing.map(({ name }) => [name, null])), ...body })) {`,
    tests: ['test/contract/kept-fields.test.ts'],
  },
  {
    guarantee: 'An entry is numbered after those of transactions that began before its own.',
    file: 'src/db/journal/number.ts',
    find: ' and transaction < pg_snapshot_xmin($2::pg_snapshot)',
    replace: ' and $2::pg_snapshot is not null',
    tests: ['test/db/journal/journal.test.ts'],
    names: 'has no position',
    database: 'postgres',
  },
  {
    guarantee: 'What a snapshot has seen does not end what was read in it.',
    file: 'src/db/journal/snapshots.sql',
    find: ' and not pg_visible_in_snapshot(j.transaction, snapshots[n])',
    replace: '',
    tests: ['test/db/journal/snapshots.test.ts'],
    names: 'is seen by it',
    database: 'postgres',
  },
] satisfies readonly Mutation[];
