import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hasScale, isExact } from '../../src/core/numbers.ts';

describe('numbers of a body', () => {
  const exact = [
    '0',
    '-0',
    '0.0',
    '0e999',
    '1',
    '-5',
    '0.1',
    '1.10',
    '1e2',
    '100e-2',
    '9007199254740991',
    '1e22',
    '0.30000000000000004',
    '1.50000000000000000000',
    '12345678901234500000',
  ];
  for (const text of exact) it(`${text} is parsed to its value`, () => assert.equal(isExact(text), true));

  const inexact = [
    '1e-400',
    '1e400',
    '-1e-400',
    '9007199254740993',
    '12345678901234567890',
    '0.1000000000000000055',
    '1e99999999999999999999',
  ];
  for (const text of inexact) it(`${text} would change when it is parsed`, () => assert.equal(isExact(text), false));

  it('every double is exact as JavaScript prints it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => assert.ok(isExact(String(value)))),
    );
  });

  it('every decimal of at most 15 digits is exact', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 20 }), (integer, shift) => {
        assert.ok(isExact(`${Math.trunc(integer / 100)}e-${shift}`));
      }),
    );
  });

  it('a column stores decimals of its scale unchanged, and no others', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), integer => {
        assert.ok(hasScale(2, integer / 100));
        assert.equal(hasScale(2, (integer * 10 + 5) / 1000), (integer * 10 + 5) % 10 === 0);
      }),
    );
  });
});
