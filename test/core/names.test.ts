import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suggestion } from '../../src/core/names.ts';

const cases: readonly [name: string, known: readonly string[], hint: string][] = [
  ['companny', ['company', 'city'], ' Did you mean company?'],
  ['citi', ['company', 'city'], ' Did you mean city?'],
  ['colour', ['company', 'city'], ''],
  ['/', ['/me', '/clients'], ''],
  ['xy', ['me'], ''],
  ['name', [], ''],
  ['n'.repeat(65), ['n'.repeat(64)], ''],
];

describe('the hint at a similar name', () => {
  for (const [name, known, hint] of cases)
    it(`is "${hint}" for ${name.slice(0, 10)} among ${known.length}`, () =>
      assert.equal(suggestion(name, known), hint));
});
