import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { addFilters, type Filter } from '../../scripts/client/filter.ts';
import { type Comparison, type MatchPosition, type Order, parseComparisons } from '../../src/query/filter.ts';

/** An operator of the grammar: a new one does not compile until it has its row below. */
type Operator = Exclude<Comparison['kind'], 'order' | 'match'> | Order | MatchPosition | 'not' | 'fold';

interface Shown {
  /** A parameter that the guide's table has. */
  readonly guide: string;
  /** The filter of the client that means the same. */
  readonly client: Filter<'text'>;
}

const operators: Readonly<Record<Operator, Shown>> = {
  null: { guide: 'remarks=null', client: null },
  equal: { guide: 'status=6', client: '6' },
  not: { guide: 'status=-6', client: { not: '6' } },
  '<': { guide: 'quantity=<5', client: { lt: '5' } },
  '<=': { guide: 'quantity=<=5', client: { lte: '5' } },
  '>': { guide: 'quantity=>5', client: { gt: '5' } },
  '>=': { guide: 'quantity=>=5', client: { gte: '5' } },
  anywhere: { guide: 'company=*hotel*', client: { contains: 'hotel' } },
  start: { guide: 'company=*Hotel', client: { startsWith: 'Hotel' } },
  end: { guide: 'company=GmbH*', client: { endsWith: 'GmbH' } },
  fold: { guide: 'company=~hotel', client: { like: 'hotel' } },
};

/** The operator that a comparison has. */
const operatorOf = (comparison: Comparison): Operator => {
  if ('not' in comparison && comparison.not) return 'not';
  if (comparison.kind === 'order') return comparison.operator;
  if (comparison.kind !== 'match') return comparison.kind;
  return comparison.fold ? 'fold' : comparison.place;
};

describe('the operators of filters', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../spec/guide.md'), 'utf8');
  const [, table = ''] = /\n# Filters\n[\s\S]*?\n(\|[\s\S]*?)\n\n/.exec(guide) ?? [];

  for (const [operator, { guide: parameter, client }] of Object.entries(operators))
    it(`${operator} is in the guide's table, and the client writes the same`, () => {
      assert.ok(table.includes(`\`${parameter}\``));
      const [name = '', value = ''] = parameter.split(/=(.*)/s);
      const comparisons = parseComparisons(value);
      assert.deepEqual(comparisons.map(operatorOf), [operator]);
      const parameters = new URLSearchParams();
      addFilters(parameters, { [name]: client });
      assert.deepEqual(parseComparisons(parameters.get(name) ?? ''), comparisons);
    });
});
