import type { Mutation } from '../../scripts/mutate/mutation.ts';

// What the parameters of a query can ask for.
const negotiation = ['test/http/request/negotiate.test.ts'];
const statements = ['test/query/sql.test.ts'];
const filters = ['test/query/filter.test.ts'];

export default [
  {
    guarantee: 'All records without a value of a tenant’s own field follow the last one with a value.',
    file: 'src/query/others/two-parts.ts',
    find: "plan.after && (plan.after[0] === null) === (only === 'nulls') ? plan.after : null",
    replace: 'plan.after',
    tests: ['test/attributes/listing.test.ts'],
    names: 'goes on in the same order',
  },
  {
    guarantee: 'A page in the order of a tenant’s own field has records without a value once those with one end.',
    file: 'src/query/strategy.ts',
    find: "  if (isInTwoParts(plan)) return 'in two parts';\n",
    replace: '',
    tests: ['test/query/sql.test.ts'],
    names: 'apart, in the order',
  },
  {
    guarantee: 'A request has a limited number of conditions.',
    file: 'src/query/plan.ts',
    find: "    [groups, limits.filters, 'filter conditions'],\n",
    replace: '',
    tests: statements,
    names: 'plan rejects',
  },
  {
    guarantee: 'A request has a limited number of values to filter by.',
    file: 'src/query/plan.ts',
    find: "    [alternatives, limits.filterValues, 'filter values'],\n",
    replace: '',
    tests: statements,
    names: 'plan rejects',
  },
  {
    guarantee: 'A value to filter by has a limited length.',
    file: 'src/query/plan.ts',
    find: "    [longest, limits.filterBytes, 'bytes in a filter value'],\n",
    replace: "    ...(longest < 0 ? [[0, 0, ''] as [number, number, string]] : []),\n",
    tests: statements,
    names: 'plan rejects',
  },
  {
    guarantee: 'A request has a limited number of fields to sort by.',
    file: 'src/query/plan.ts',
    find: "    [query.sort.length, limits.sortFields, 'sort fields'],\n",
    replace: '',
    tests: statements,
    names: 'plan rejects',
  },
  {
    guarantee: 'A request has a limited number of embeds.',
    file: 'src/query/plan.ts',
    find: "    [query.embed.length, limits.embeds, 'embedded relations'],\n",
    replace: '',
    tests: statements,
    names: 'plan rejects',
  },
  {
    guarantee: 'A page has 1,000 records at most.',
    file: 'src/query/query.ts',
    find: 'limit > largestLimit',
    replace: 'limit > 10 * largestLimit',
    tests: ['test/query/query.test.ts'],
  },
  {
    guarantee: 'A value that is searched for matches itself, whatever LIKE takes its characters for.',
    file: 'src/query/predicate.ts',
    find: "value.replace(/[\\\\%_]/g, '\\\\$&')",
    replace: "value.replace(/[\\\\%]/g, '\\\\$&')",
    tests: statements,
    names: 'with its values as parameters',
  },
  {
    guarantee: 'A list of values has the values that were given, whatever an array literal takes their characters for.',
    file: 'src/db/values.ts',
    find: "value.replaceAll(/[\"\\\\]/g, '\\\\$&')",
    replace: "value.replaceAll(/[\\\\]/g, '\\\\$&')",
    tests: statements,
    names: 'with its values as parameters',
  },
  {
    guarantee: 'The text of a statement has no values of its request.',
    file: 'src/query/condition.ts',
    find: "    case 'equal':\n      return sql`",
    replace:
      "    case 'equal':\n      if (slot()) return sql.join<SqlBool>([left, sql.lit(predicate.values[0])], sql` = `);\n      return sql`",
    tests: statements,
    names: 'binds the values of each|with its values as parameters',
  },
  {
    guarantee: 'A query has no NUL.',
    file: 'src/http/request/query-string.ts',
    find: "return decoded.includes('\\0') ? null : decoded;",
    replace: 'return decoded;',
    tests: negotiation,
    names: 'refuses the query',
  },
  {
    guarantee: 'A name that is no field is no part of a statement.',
    file: 'src/query/fields.ts',
    find: '  if (field) return field;\n  rejectDeleted(set, name);',
    replace:
      "  if (field) return field;\n  if (parameter === 'sort') return set.fields[0] as Field;\n  rejectDeleted(set, name);",
    tests: statements,
    names: 'plan rejects',
  },
  {
    guarantee: 'A condition and its negation have every record between them.',
    file: 'src/query/condition.ts',
    find: ') is not true`',
    replace: ') is false`',
    tests: ['test/engine/listing.test.ts'],
    names: 'covers every row',
  },
  {
    guarantee: 'A value can have each character that has a meaning in filters.',
    file: 'src/query/filter.ts',
    find: 'value.replace(/[\\\\,*\\-~<>=]/g',
    replace: 'value.replace(/[\\\\,*\\-<>=]/g',
    tests: filters,
  },
  {
    guarantee: 'A backslash at the end of a filter is itself.',
    file: 'src/query/filter.ts',
    find: "replace(/\\\\([\\s\\S])/g, '$1')",
    replace: "replace(/\\\\([\\s\\S]?)/g, '$1')",
    tests: filters,
  },
  {
    guarantee: 'A misspelt field is told the name that was meant.',
    file: 'src/core/names.ts',
    find: 'edits <= Math.max(2, name.length / 3)',
    replace: 'edits < Math.min(1, name.length / 3)',
    tests: ['test/query/query.test.ts', 'test/core/names.test.ts'],
  },
] satisfies readonly Mutation[];
