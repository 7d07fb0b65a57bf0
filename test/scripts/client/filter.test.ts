import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addFilters } from '../../../scripts/client/filter.ts';
import { parseComparisons } from '../../../src/query/filter.ts';

/** What the server reads from a filter of the client: all of them must hold. */
const read = (filter: unknown): unknown[] => {
  const parameters = new URLSearchParams();
  addFilters(parameters, { field: filter });
  return new URLSearchParams(parameters.toString())
    .getAll(parameters.has('field[]') ? 'field[]' : 'field')
    .map(parseComparisons);
};
const equal = (value: string, not = false) => ({ kind: 'equal', not, value });
const special = fc.stringMatching(/^[-~*<>=\\,nul5 ]*$/);
const anyText = fc.oneof(special, fc.string({ unit: 'binary-ascii' }), fc.constant('null'));

describe('the filters of the client', () => {
  it('mean the value, whatever characters it has', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, other) => {
        assert.deepEqual(read(text), [[equal(text)]]);
        assert.deepEqual(read({ not: text }), [[equal(text, true)]]);
        assert.deepEqual(read([text, other]), [[equal(text), equal(other)]]);
        assert.deepEqual(read({ lt: text }), [[{ kind: 'order', operator: '<', value: text }]]);
        assert.deepEqual(read({ gte: text }), [[{ kind: 'order', operator: '>=', value: text }]]);
      }),
    );
  });

  it('search for the text, whatever characters it has', () => {
    const match = { kind: 'match', not: false, fold: false };
    fc.assert(
      fc.property(
        anyText.filter(text => text !== ''),
        value => {
          assert.deepEqual(read({ contains: value }), [[{ ...match, place: 'anywhere', value }]]);
          assert.deepEqual(read({ startsWith: value }), [[{ ...match, place: 'start', value }]]);
          assert.deepEqual(read({ endsWith: value }), [[{ ...match, place: 'end', value }]]);
          assert.deepEqual(read({ like: value }), [[{ ...match, place: 'anywhere', fold: true, value }]]);
        },
      ),
    );
  });

  it('take null, numbers, flags and instants', () => {
    assert.deepEqual(read(null), [[{ kind: 'null', not: false }]]);
    assert.deepEqual(read({ not: null }), [[{ kind: 'null', not: true }]]);
    assert.deepEqual(read(-5), [[equal('-5')]]);
    assert.deepEqual(read({ lt: -5 }), [[{ kind: 'order', operator: '<', value: '-5' }]]);
    assert.deepEqual(read(true), [[equal('1')]]);
    assert.deepEqual(read(new Date(0)), [[equal('1970-01-01T00:00:00.000Z')]]);
  });

  it('combine conditions of one object by AND, those of a list by OR', () => {
    const [from, to] = [
      { kind: 'order', operator: '>=', value: '1' },
      { kind: 'order', operator: '<', value: '5' },
    ];
    assert.deepEqual(read({ gte: 1, lt: 5 }), [[from], [to]]);
    assert.deepEqual(read([{ gte: 1 }, 7]), [[from, equal('7')]]);
  });

  it('reject what the grammar cannot express', () => {
    assert.throws(() => read([{ gte: 1, lt: 5 }]), /one condition each/);
    assert.throws(() => read([]), /is empty/);
    assert.throws(() => read({ near: 1 }), /Unknown condition near/);
  });
});
