import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseInParts } from '../../../src/core/json/parts.ts';
import { findJsonDefect, markInexactNumbers } from '../../../src/core/json/strict.ts';
import { atOnce, type InUnits } from '../../../src/core/turns.ts';
import { findInexactNumbers } from '../../../src/core/violations.ts';

const parse = (text: string, size: number) => atOnce(parseInParts(text, size));
const filled = (part: (index: number) => string): string => Array.from({ length: 100_000 }, (_, i) => part(i)).join();

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a parser of whole texts does: the value's own JSON, or null where it throws. */
const expected = (text: string): string | null => {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? JSON.stringify(value) : null;
  } catch {
    return null;
  }
};

const inParts = (text: string, size: number): string | null => {
  try {
    return JSON.stringify(parse(text, size));
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return null;
  }
};

describe('parseInParts', () => {
  const size = fc.integer({ min: 1, max: 30 });
  const written = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, '\t'));

  it('returns what JSON.parse returns, wherever the text is parted', () => {
    fc.assert(
      fc.property(written, size, ([value, space], size) => {
        const text = JSON.stringify(value, null, space);
        assert.equal(inParts(text, size), expected(text));
      }),
      { numRuns: 500 },
    );
  });

  it('rejects what JSON.parse rejects: any change of one character', () => {
    const damage = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...'{}[]",:\\1a \u00a0'));
    fc.assert(
      fc.property(written, damage, size, ([value, space], [at, cut, character], size) => {
        const text = JSON.stringify(value, null, space);
        const place = at % (text.length + 1);
        const damaged = text.slice(0, place) + character + text.slice(place + cut);
        if (atOnce(findJsonDefect(damaged, 1000)) === 'duplicate') return;
        assert.equal(inParts(damaged, size), expected(damaged));
      }),
      { numRuns: 5000 },
    );
  });

  for (const text of [
    '',
    ' ',
    '1',
    'null',
    '[]',
    '[1,{"a":2}]',
    '{}{}',
    '{},',
    '{"a":[1,2,]}',
    '{"a":[,1]}',
    '{,"a":1}',
  ])
    it(`rejects ${JSON.stringify(text)}`, () => assert.equal(inParts(text, 1), null));

  it('has __proto__ as an own member, in whichever part it is', () => {
    const value = parse('{"a":1,"__proto__":{"b":1,"c":2},"d":{"e":1,"__proto__":2}}', 1) as object;
    assert.equal(JSON.stringify(value), '{"a":1,"__proto__":{"b":1,"c":2},"d":{"e":1,"__proto__":2}}');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });
});

describe('no text is handled in one long unit', () => {
  const bodies: readonly [label: string, text: string][] = [
    ['members', `{${filled(i => `"k${i}":1`)}}`],
    ['members that differ in each object', `{"a":[${filled(i => `{"${i}":1}`)}]}`],
    ['numbers', `{"a":[${filled(i => `${i}.123456789012345678`)}]}`],
    ['strings', `{"a":{"b":[${filled(i => `"${i}"`)}]}}`],
    ['nested arrays', `{"a":[${filled(() => '[[[[[[]]]]]]')}]}`],
    ['objects between members', `{${filled(i => `"k${i}":{"a":[${i},2]}`)}}`],
  ];
  const units = (work: InUnits<unknown>): number => {
    let count = 1;
    while (!work.next().done) count++;
    return count;
  };
  for (const [label, text] of bodies)
    it(label, t => {
      const whole = JSON.parse(text);
      const parser = t.mock.method(JSON, 'parse');
      const value = atOnce(parseInParts(text));
      const parsed = parser.mock.calls.map(({ arguments: [part] }) => String(part).length);
      t.mock.restoreAll();
      assert.deepEqual(value, whole);
      assert.ok(Math.max(...parsed) <= 20_000, `${Math.max(...parsed)}`);
      // At most two parts in one unit.
      assert.ok(units(parseInParts(text)) >= parsed.length / 2);
      assert.ok(units(findJsonDefect(text, 64)) >= Math.floor(text.length / 35_000));
      assert.ok(units(markInexactNumbers(text)) >= (/\d{15}/.test(text) ? Math.floor(text.length / 35_000) : 1));
      assert.ok(units(findInexactNumbers(value)) >= 5);
    });
});
