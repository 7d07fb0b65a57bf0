import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Comparison,
  type MatchPosition,
  type Order,
  parseComparisons,
  printComparisons,
} from '../../src/query/filter.ts';

const equal = (value: string, not = false): Comparison => ({ kind: 'equal', not, value });
const order = (operator: Order, value: string): Comparison => ({ kind: 'order', operator, value });
const match = (place: MatchPosition, value: string, { not = false, fold = false } = {}): Comparison => ({
  kind: 'match',
  not,
  place,
  fold,
  value,
});
const isNull: Comparison = { kind: 'null', not: false };
const notNull: Comparison = { kind: 'null', not: true };

const cases: [text: string, want: Comparison[]][] = [
  // the specification's table
  ['value', [equal('value')]],
  ['~value', [match('anywhere', 'value', { fold: true })]],
  ['-value', [equal('value', true)]],
  ['<value', [order('<', 'value')]],
  ['>value', [order('>', 'value')]],
  ['*value*', [match('anywhere', 'value')]],
  ['-*value*', [match('anywhere', 'value', { not: true })]],
  ['*value', [match('start', 'value')]],
  ['value*', [match('end', 'value')]],
  ['null', [isNull]],
  ['-null', [notNull]],
  ['', [equal('')]],
  ['-', [equal('', true)]],
  ['a,b', [equal('a'), equal('b')]],
  ['2,<2,>5', [equal('2'), order('<', '2'), order('>', '5')]],
  // additions
  ['<=2', [order('<=', '2')]],
  ['>=2', [order('>=', '2')]],
  ['~*v', [match('start', 'v', { fold: true })]],
  ['~v*', [match('end', 'v', { fold: true })]],
  ['~*v*', [match('anywhere', 'v', { fold: true })]],
  ['-~v', [match('anywhere', 'v', { not: true, fold: true })]],
  ['-*v', [match('start', 'v', { not: true })]],
  ['-v*', [match('end', 'v', { not: true })]],
  // escapes
  ['\\-5', [equal('-5')]],
  ['-5', [equal('5', true)]],
  ['<-5', [order('<', '-5')]],
  ['\\null', [equal('null')]],
  ['-\\null', [equal('null', true)]],
  ['a\\,b', [equal('a,b')]],
  ['\\*v\\*', [equal('*v*')]],
  ['\\~v', [equal('~v')]],
  ['\\<5', [equal('<5')]],
  ['\\>=5', [equal('>=5')]],
  ['a\\\\', [equal('a\\')]],
  ['a\\\\*', [match('end', 'a\\')]],
  ['a\\', [equal('a\\')]],
  ['a\\\\,b', [equal('a\\'), equal('b')]],
  // unusual, but valid
  ['*', [match('start', '')]],
  ['**', [match('anywhere', '')]],
  ['~', [match('anywhere', '', { fold: true })]],
  ['-*', [match('start', '', { not: true })]],
  ['--', [equal('-', true)]],
  ['-<5', [equal('<5', true)]],
  ['a*b', [equal('a*b')]],
  ['NULL', [equal('NULL')]],
  ['~null', [match('anywhere', 'null', { fold: true })]],
  [',', [equal(''), equal('')]],
  ['<', [order('<', '')]],
  ['100%_', [equal('100%_')]],
];

/** Converts to plain objects, as returned by the parser. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { noNullPrototype: true });

describe('parseComparisons', () => {
  for (const [text, want] of cases) {
    it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parseComparisons(text), want));
  }

  const grammatical = fc.string({ unit: fc.constantFrom(...'ab,*-~<>=\\5 äİnul%_') });

  it('accepts every string', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), grammatical), text => parseComparisons(text).length > 0),
      { numRuns: 5000 },
    );
  });

  it('parses the output of printComparisons into the same comparisons', () => {
    const value = fc.oneof(grammatical, fc.string({ unit: 'grapheme' }), fc.constant('null'));
    const comparison: fc.Arbitrary<Comparison> = fc.oneof(
      record({ kind: fc.constant('null' as const), not: fc.boolean() }),
      record({ kind: fc.constant('equal' as const), not: fc.boolean(), value }),
      record({
        kind: fc.constant('order' as const),
        operator: fc.constantFrom<Order>('<', '<=', '>', '>='),
        value,
      }),
      record({
        kind: fc.constant('match' as const),
        not: fc.boolean(),
        place: fc.constantFrom<MatchPosition>('start', 'end', 'anywhere'),
        fold: fc.boolean(),
        value,
        // An empty suffix and an empty prefix mean the same, and are parsed as the latter.
      }).filter(({ place, value }) => place !== 'end' || value !== ''),
    );
    fc.assert(
      fc.property(fc.array(comparison, { minLength: 1 }), comparisons => {
        assert.deepEqual(parseComparisons(printComparisons(comparisons)), comparisons);
      }),
      { numRuns: 5000 },
    );
  });

  it('prints any parsed string to an equivalent one', () => {
    fc.assert(
      fc.property(grammatical, text => {
        const comparisons = parseComparisons(text);
        assert.deepEqual(parseComparisons(printComparisons(comparisons)), comparisons);
      }),
      { numRuns: 5000 },
    );
  });
});
